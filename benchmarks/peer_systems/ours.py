"""memtools: its use cases over the stores that its tests use, whose time is set apart like that of the embedder."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from importlib import metadata
from typing import Any

from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.domain.trace import Embedding
from memtools.embedding.minilm import MiniLM
from memtools.ports import KeyState
from memtools.tools import add, search

from benchmarks.apart import Apart
from benchmarks.peer_systems.task import Vectors
from tests.fakes import FakeClock, FakeTraces
from tests.memories import over_fakes

# A search reads again what changed in the minutes before the last one. Seldom does a search follow an add that soon.
_LATER = timedelta(minutes=10)


def version() -> str:
    return metadata.version("memtools")


class Traces(FakeTraces):
    """For memories that never change: none then says what belongs at the key of another, and nobody has to look."""

    def _key_state(self, scope: Scope, key: str) -> KeyState:
        return KeyState(self._traces.get((scope, key)))


class Lookup:
    """An Embedder that knows all vectors."""

    model = MiniLM.model

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [Embedding(self.model, self._vectors.signed_bytes(text)) for text in texts]


class Ours:
    """A user a scope."""

    def __init__(self, vectors: Vectors) -> None:
        self._clock = FakeClock()
        memory = over_fakes(self._clock)
        traces: Any = Apart(Traces(memory.retention))
        segments: Any = Apart(memory.segments)
        embedder: Any = Apart(Lookup(vectors))
        self._memory = replace(memory, traces=traces, segments=segments, embedder=embedder)
        self._apart: tuple[Apart, ...] = (traces, segments, embedder)

    @property
    def seconds_apart(self) -> float:
        return sum(one.seconds for one in self._apart)

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        """Equal texts share an id."""
        given = {"facts": list(texts)} | ({"occurredAt": moment} if moment else {})
        reply = add.TOOL.call(self._memory, Scope("peers", scope), given)
        self._clock.advance(_LATER)
        ids = {fold(one.content): one.id for one in (*reply.saved, *reply.duplicates)}
        return [ids[fold(text)] for text in texts]

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        given = {"query": text, "limit": limit}
        return [one.id for one in search.TOOL.call(self._memory, Scope("peers", scope), given).results]
