"""What the tools run on: the ports, and the limits that a deployment sets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from memtools.counters import Metric, increment
from memtools.domain.trace import Embedding, Stamp
from memtools.freshness.cache import RecentIndexes
from memtools.ports import Clock, Embedder, PersonaStore, SegmentStore, TraceStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """One deployment's memory.

    ``retention`` is how long anything replaced or deleted can be brought back, ``document_limit`` the characters that
    a document may have, ``floor`` the score below which a trace is not relevant.
    """

    traces: TraceStore
    personas: PersonaStore
    segments: SegmentStore
    clock: Clock
    embedder: Embedder | None
    recent: RecentIndexes = field(default_factory=RecentIndexes)
    retention: timedelta = field(default=timedelta(days=30))
    document_limit: int = 16_000
    floor: float = 0.25

    @property
    def model(self) -> str:
        """The name of the model whose vectors are compared; empty without one."""
        return self.embedder.model if self.embedder else ""

    def stamp(self) -> Stamp:
        """The present moment and a new name for a write."""
        return Stamp(self.clock.now(), uuid4().hex)

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        """The texts' embeddings; all ``None`` without a model, or where it fails: no call fails because of a model."""
        if self.embedder is None or not texts:
            return [None] * len(texts)
        try:
            return [Embedding(self.embedder.model, vector) for vector in self.embedder.embed(texts)]
        except Exception:  # noqa: BLE001 - whatever a model can raise
            increment(Metric.EMBEDDING_FAILED)
            return [None] * len(texts)
