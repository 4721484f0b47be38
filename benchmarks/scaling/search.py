"""Searches a scope in a process of its own, and prints what that took.

    python -m benchmarks.scaling.search AGENT

reads the questions, one a line, from standard input; AWS is where the environment says.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, cast

import boto3
from memtools.adapters.aws import CONFIG
from memtools.adapters.documents import S3Personas
from memtools.adapters.segments import S3Segments
from memtools.adapters.table.traces import DynamoTraces
from memtools.backend import Backend
from memtools.config import Settings
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Trace
from memtools.embedding.minilm import LocalEmbedder
from memtools.freshness.segment import Segment
from memtools.ports import TraceStore
from memtools.ranking.index import Index
from memtools.tools import search

from benchmarks.locomo import percentile
from benchmarks.scaling.counted import Counted
from benchmarks.scaling.scope import LIMIT

_READY_ROUNDS = 11


class Embedded:
    """An Embedder that has embedded all questions before, and knows how long each took."""

    model = LocalEmbedder.model

    def __init__(self, questions: Sequence[str]) -> None:
        model = LocalEmbedder()
        model.embed(questions[:1])
        self._vectors: dict[str, Embedding | None] = {}
        self.milliseconds: list[float] = []
        for question in questions:
            start = time.perf_counter()
            (self._vectors[question],) = model.embed([question])
            self.milliseconds.append(1000 * (time.perf_counter() - start))

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [self._vectors[text] for text in texts]


class Replayed:
    """Stands in for a TraceStore: the first time it asks that one, from then on it answers as that one did."""

    def __init__(self, store: DynamoTraces) -> None:
        self._store = store
        self._hits: dict[frozenset[str], dict[str, Trace]] = {}
        self.from_memory = False

    def changes(self, scope: Scope, since: datetime | None) -> Iterable[Trace]:
        return () if self.from_memory else self._store.changes(scope, since)

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        asked = frozenset(expected)
        if not self.from_memory:
            self._hits[asked] = self._store.retrieve(scope, expected, now)
        return self._hits[asked]


class Searcher:
    """A memory whose calls are counted, and whose store can be left out."""

    def __init__(self, settings: Settings, scope: Scope, embedder: Embedded) -> None:
        dynamodb, s3 = boto3.client("dynamodb", config=CONFIG), boto3.client("s3", config=CONFIG)
        self.counted = Counted()
        for client in (dynamodb, s3):
            self.counted.watch(client)
        retention = timedelta(days=settings.retention_days)
        self._replayed = Replayed(
            DynamoTraces(dynamodb, settings.table, settings.index, retention, lambda: datetime.now(UTC))
        )
        self._scope = scope
        self.memory = Backend(
            traces=cast("TraceStore", self._replayed),
            personas=S3Personas(s3, settings.bucket),
            segments=S3Segments(s3, settings.bucket),
            embedder=embedder,
            retention=retention,
            floor=settings.relevance_floor,
        )

    def leave_the_store_out(self) -> None:
        """From now on it answers from memory what it answered before."""
        self._replayed.from_memory = True

    def search(self, question: str) -> float:
        """One search; the milliseconds it took."""
        self.counted.reset()
        given = {"query": question, "limit": LIMIT}
        start = time.perf_counter()
        found = search.TOOL.call(self.memory, self._scope, given)
        elapsed = time.perf_counter() - start
        if len(found.results) != LIMIT:
            raise RuntimeError(f"{len(found.results)} results for {question!r}")
        return 1000 * elapsed

    def count(self, question: str) -> dict[str, int]:
        """One search: its calls, units and bytes."""
        self.search(question)
        return {
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
    """The first search, which is cold, told apart from all others; these a second time without the store."""
    scope = Scope(agent, "user")
    embedder = Embedded(asked)
    searcher = Searcher(Settings.from_environment(os.environ), scope, embedder)
    cold = searcher.count(asked[0])
    warm = [searcher.count(question) for question in asked[1:]]
    searcher.leave_the_store_out()
    times = [searcher.search(question) for question in asked[1:]]
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    stored = searcher.memory.segments.load(scope)
    assert stored is not None
    return {
        "sequential_round_trips": median(one["round_trips"] for one in warm),
        "aws_calls": max(one["calls"] for one in warm),
        "read_units": round(sum(one["read_units"] for one in warm) / len(warm), 2),
        "write_units": round(sum(one["write_units"] for one in warm) / len(warm), 2),
        "bytes": round(sum(one["bytes"] for one in warm) / len(warm)),
        "segment_bytes": len(stored.data),
        "ready_ms": round(_ready_ms(stored.data, searcher.memory.embedder.model), 2),
        "warm_ms_p50": round(percentile(times, 0.5), 2),
        "warm_ms_p95": round(percentile(times, 0.95), 2),
        "embed_ms_p50": round(percentile(embedder.milliseconds, 0.5), 1),
        "cold_round_trips": cold["round_trips"],
        "cold_aws_calls": cold["calls"],
        "rss_mb": round(resident),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.stdin.read().splitlines())))
