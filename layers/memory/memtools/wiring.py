"""Makes the backend: the only place where clients are made and ports get their adapters."""

from datetime import timedelta
from functools import cache, partial

import boto3

from memtools.adapters.aws import CONFIG, StoreClock
from memtools.adapters.documents import S3Personas
from memtools.adapters.segments import S3Segments
from memtools.adapters.table.traces import DynamoTraces, ask_the_time
from memtools.backend import Backend
from memtools.config import Settings
from memtools.embedding.minilm import LocalEmbedder
from memtools.embedding.none import NoEmbedder
from memtools.ports import Embedder


@cache
def backend_of(settings: Settings) -> Backend:
    """The backend for the settings. A process makes it once, so that its clients and indexes stay warm."""
    session = boto3.session.Session()
    retention = timedelta(days=settings.retention_days)
    dynamodb, s3 = session.client("dynamodb", config=CONFIG), session.client("s3", config=CONFIG)
    clock = StoreClock(partial(ask_the_time, dynamodb, settings.table))
    clock.listen(dynamodb, s3)
    return Backend(
        traces=DynamoTraces(dynamodb, settings.table, settings.index, retention, clock.now),
        personas=S3Personas(s3, settings.bucket),
        segments=S3Segments(s3, settings.bucket),
        embedder=_embedder(settings, session),
        now=clock.now,
        retention=retention,
        document_limit=settings.document_limit,
        floor=settings.relevance_floor,
    )


def _embedder(settings: Settings, session: boto3.session.Session) -> Embedder:
    """The embedder of the settings. Bedrock's module and client are loaded only if used, to keep cold starts short."""
    if settings.embedder == "bedrock":
        from memtools.adapters import titan

        client = session.client("bedrock-runtime", config=titan.CONFIG)
        return titan.TitanEmbedder(client, settings.embedding_model)
    return LocalEmbedder() if settings.embedder == "minilm" else NoEmbedder()
