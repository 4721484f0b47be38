"""Makes the backend: the only place where clients are made and ports get their adapters.

What only one kind of store needs is imported for it alone: a function in Lambda never loads SQLite, and a memory on
this machine never loads boto3.
"""

from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from memtools.backend import Backend
from memtools.config import Settings
from memtools.embedding.minilm import LocalEmbedder
from memtools.embedding.none import NoEmbedder
from memtools.ports import Embedder


@cache
def backend_of(settings: Settings) -> Backend:
    """The backend for the settings. A process makes it once, so that its clients and indexes stay warm."""
    retention = timedelta(days=settings.retention_days)
    stores = _in_file(settings.file, retention) if settings.file else _deployed(settings, retention)
    return Backend(
        **stores,
        embedder=_embedder(settings),
        retention=retention,
        document_limit=settings.document_limit,
        floor=settings.relevance_floor,
    )


def _deployed(settings: Settings, retention: timedelta) -> dict[str, Any]:
    """The stores in the table and the bucket, and their time."""
    import boto3

    from memtools.adapters.aws import CONFIG, StoreClock
    from memtools.adapters.documents import S3Personas
    from memtools.adapters.segments import S3Segments
    from memtools.adapters.table.traces import DynamoTraces, ask_the_time

    session = boto3.session.Session()
    dynamodb, s3 = session.client("dynamodb", config=CONFIG), session.client("s3", config=CONFIG)
    clock = StoreClock(partial(ask_the_time, dynamodb, settings.table))
    clock.listen(dynamodb, s3)
    return {
        "traces": DynamoTraces(dynamodb, settings.table, settings.index, retention, clock.now),
        "personas": S3Personas(s3, settings.bucket),
        "segments": S3Segments(s3, settings.bucket),
        "now": clock.now,
    }


def _in_file(path: Path, retention: timedelta) -> dict[str, Any]:
    """The stores in the file, and its time."""
    from memtools.adapters.sqlite.file import MemoryFile
    from memtools.adapters.sqlite.personas import SqlitePersonas
    from memtools.adapters.sqlite.segments import SqliteSegments
    from memtools.adapters.sqlite.traces import SqliteTraces

    file = MemoryFile(path)
    return {
        "traces": SqliteTraces(file, retention),
        "personas": SqlitePersonas(file, retention),
        "segments": SqliteSegments(file),
        "now": file.now,
    }


def _embedder(settings: Settings) -> Embedder:
    """The embedder of the settings. Bedrock's module and client are loaded only if used, to keep cold starts short."""
    if settings.embedder == "bedrock":
        import boto3

        from memtools.adapters import titan

        client = boto3.session.Session().client("bedrock-runtime", config=titan.CONFIG)
        return titan.TitanEmbedder(client, settings.embedding_model)
    return LocalEmbedder() if settings.embedder == "minilm" else NoEmbedder()
