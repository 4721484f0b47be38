"""Memories to test with: over the fakes, and over the adapters."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from memtools.adapters.documents import S3Personas
from memtools.adapters.segments import S3Segments
from memtools.adapters.table.traces import DynamoTraces
from memtools.backend import Backend

from tests.fakes import FakeClock, FakeEmbedder, FakePersonas, FakeSegments, FakeTraces

RETENTION = timedelta(days=30)


def over_fakes(clock: FakeClock) -> Backend:
    """A memory of its own in this process."""
    return Backend(
        traces=FakeTraces(RETENTION),
        personas=FakePersonas(clock),
        segments=FakeSegments(),
        now=clock.now,
        embedder=FakeEmbedder(),
        retention=RETENTION,
    )


def over_adapters(dynamodb: Any, s3: Any, names: Mapping[str, str], now: Callable[[], datetime]) -> Backend:
    """The memory in the table and the bucket named, seen by a process just started: nothing of it is in memory."""
    return Backend(
        traces=DynamoTraces(dynamodb, names["TABLE_NAME"], names["INDEX_NAME"], RETENTION),
        personas=S3Personas(s3, names["BUCKET_NAME"]),
        segments=S3Segments(s3, names["BUCKET_NAME"]),
        now=now,
        embedder=FakeEmbedder(),
        retention=RETENTION,
    )
