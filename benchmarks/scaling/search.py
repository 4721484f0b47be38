"""Searches a scope in a process of its own, and prints what that took.

    python -m benchmarks.scaling.search AGENT

reads the questions, one a line, from standard input; AWS is where the environment says.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from statistics import median
from typing import Any

import boto3
from memtools.adapters.aws import CONFIG
from memtools.adapters.dynamodb import DynamoTraces
from memtools.adapters.s3 import S3Personas
from memtools.adapters.segments import S3Segments
from memtools.catalogue.arguments import Search
from memtools.config import Settings
from memtools.domain.scope import Scope
from memtools.retrieval.index import Index
from memtools.retrieval.segments import Segment
from memtools.tools.memory import Memory
from memtools.tools.search import memory_search
from memtools.wiring import LocalModel, SystemClock

from benchmarks.apart import Apart
from benchmarks.locomo import percentile
from benchmarks.scaling.counted import Counted
from benchmarks.scaling.scope import LIMIT

_READY_ROUNDS = 11


class Searcher:
    """A memory whose stores and model have their time set apart, and whose calls are counted."""

    def __init__(self, settings: Settings, scope: Scope) -> None:
        dynamodb, s3 = boto3.client("dynamodb", config=CONFIG), boto3.client("s3", config=CONFIG)
        self.counted = Counted()
        for client in (dynamodb, s3):
            self.counted.watch(client)
        retention = timedelta(days=settings.retention_days)
        traces: Any = Apart(DynamoTraces(dynamodb, settings.table, settings.index, retention))
        segments: Any = Apart(S3Segments(s3, settings.bucket))
        self._embedder: Any = Apart(LocalModel())
        self._stores = (traces, segments)
        self._scope = scope
        self.memory = Memory(
            traces=traces,
            personas=S3Personas(s3, settings.bucket),
            segments=segments,
            clock=SystemClock(),
            embedder=self._embedder,
            retention=retention,
            floor=settings.relevance_floor,
        )

    def search(self, question: str) -> dict[str, float]:
        """One search: what it took, in milliseconds, calls, units and bytes."""
        self.counted.reset()
        for one in (*self._stores, self._embedder):
            one.seconds = 0.0
        given = Search(query=question, limit=LIMIT)
        start = time.perf_counter()
        found = memory_search(self.memory, self._scope, given)
        elapsed = time.perf_counter() - start
        if len(found.results) != LIMIT:
            raise RuntimeError(f"{len(found.results)} results for {question!r}")
        return {
            "ms": 1000 * (elapsed - sum(one.seconds for one in (*self._stores, self._embedder))),
            "embed_ms": 1000 * self._embedder.seconds,
            "round_trips": self.counted.round_trips,
            "calls": len(self.counted.calls),
            "read_units": self.counted.read_units,
            "write_units": self.counted.write_units,
            "bytes": self.counted.sent + self.counted.received,
        }


def _ready_ms(data: bytes, model: str) -> float:
    """From a segment's bytes to an index, the median of some rounds."""
    rounds = []
    for _ in range(_READY_ROUNDS):
        start = time.perf_counter()
        Index(Segment.of_bytes(data, model).columns)
        rounds.append(1000 * (time.perf_counter() - start))
    return median(rounds)


def measure(agent: str, asked: Sequence[str]) -> dict[str, Any]:
    """The first search, which is cold, told apart from all others."""
    scope = Scope(agent, "user")
    searcher = Searcher(Settings.from_environment(os.environ), scope)
    cold = searcher.search(asked[0])
    warm = [searcher.search(question) for question in asked[1:]]
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    stored = searcher.memory.segments.load(scope)
    assert stored is not None
    times = [one["ms"] for one in warm]
    return {
        "sequential_round_trips": median(one["round_trips"] for one in warm),
        "aws_calls": max(one["calls"] for one in warm),
        "read_units": round(sum(one["read_units"] for one in warm) / len(warm), 2),
        "write_units": round(sum(one["write_units"] for one in warm) / len(warm), 2),
        "bytes": round(sum(one["bytes"] for one in warm) / len(warm)),
        "segment_bytes": len(stored.data),
        "ready_ms": round(_ready_ms(stored.data, searcher.memory.model), 2),
        "warm_ms_p50": round(percentile(times, 0.5), 2),
        "warm_ms_p95": round(percentile(times, 0.95), 2),
        "embed_ms_p50": round(percentile([one["embed_ms"] for one in warm], 0.5), 1),
        "cold_round_trips": cold["round_trips"],
        "cold_aws_calls": cold["calls"],
        "rss_mb": round(resident),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.stdin.read().splitlines())))
