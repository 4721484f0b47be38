"""Memories to test with: over the fakes, and over the adapters."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memtools.backend import Backend
from memtools.domain.scope import Scope

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
    from memtools.adapters.documents import S3Personas
    from memtools.adapters.segments import S3Segments
    from memtools.adapters.table.traces import DynamoTraces

    return Backend(
        traces=DynamoTraces(dynamodb, names["TABLE_NAME"], names["INDEX_NAME"], RETENTION, now),
        personas=S3Personas(s3, names["BUCKET_NAME"]),
        segments=S3Segments(s3, names["BUCKET_NAME"]),
        now=now,
        embedder=FakeEmbedder(),
        retention=RETENTION,
    )


def over_file(file: Path, now: Callable[[], datetime]) -> Backend:
    """The memory in the SQLite file, seen by a process just started whose clock is ``now``."""
    from memtools.adapters.sqlite.file import MemoryFile
    from memtools.adapters.sqlite.personas import SqlitePersonas
    from memtools.adapters.sqlite.segments import SqliteSegments
    from memtools.adapters.sqlite.traces import SqliteTraces

    opened = MemoryFile(file, now)
    return Backend(
        traces=SqliteTraces(opened, RETENTION),
        personas=SqlitePersonas(opened, RETENTION),
        segments=SqliteSegments(opened),
        now=opened.now,
        embedder=FakeEmbedder(),
        retention=RETENTION,
    )


def lose_segment(memory: Backend, scope: Scope) -> None:
    """The segment is deleted past the port, as by somebody who clears the bucket."""
    segments: Any = memory.segments
    if isinstance(segments, FakeSegments):
        del segments._stored[scope]
        return
    if hasattr(segments, "_file"):
        with segments._file.writing() as connection:
            connection.execute("DELETE FROM segments WHERE scope = ?", [scope.key])
        return
    from memtools.adapters.segments import segment_key

    segments._client.delete_object(Bucket=segments._bucket, Key=segment_key(scope))
