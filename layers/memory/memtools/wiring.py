"""Settings to a memory: the one place where clients are made and ports get their adapters."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property

import boto3

from memtools.adapters.aws import CONFIG
from memtools.adapters.documents import S3Personas
from memtools.adapters.segments import S3Segments
from memtools.adapters.table.traces import DynamoTraces
from memtools.config import Settings
from memtools.embedding.minilm import MiniLM
from memtools.ports import Embedder
from memtools.tools.backend import Backend


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC)


class LocalModel:
    """MiniLM, loaded when the first text is embedded: most cold starts embed nothing."""

    model = MiniLM.model

    @cached_property
    def _loaded(self) -> MiniLM:
        return MiniLM.load()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text. Raises LookupError where the model is not installed."""
        return self._loaded.embed(texts)


@cache
def memory_of(settings: Settings) -> Backend:
    """The memory that the settings describe; one a process, so that its clients and indexes stay warm."""
    session = boto3.session.Session()
    retention = timedelta(days=settings.retention_days)
    dynamodb, s3 = session.client("dynamodb", config=CONFIG), session.client("s3", config=CONFIG)
    return Backend(
        traces=DynamoTraces(dynamodb, settings.table, settings.index, retention),
        personas=S3Personas(s3, settings.bucket),
        segments=S3Segments(s3, settings.bucket),
        clock=SystemClock(),
        embedder=_embedder(settings, session),
        retention=retention,
        document_limit=settings.document_limit,
        floor=settings.relevance_floor,
    )


def _embedder(settings: Settings, session: boto3.session.Session) -> Embedder | None:
    """The model of the settings. Only those who want Bedrock's pay for its import and its client on a cold start."""
    if settings.embedder == "bedrock":
        from memtools.adapters import titan

        client = session.client("bedrock-runtime", config=titan.CONFIG)
        return titan.TitanEmbedder(client, settings.embedding_model)
    return LocalModel() if settings.embedder == "minilm" else None
