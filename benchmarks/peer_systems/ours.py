"""memtools: its use cases over stores in memory, whose time is set apart like that of the embedder."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import metadata
from typing import Any

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.domain.trace import Embedding, Stamp, Trace
from memtools.embedding.minilm import MiniLM
from memtools.ports import ConditionFailed, KeyState, StillSays, StoredSegment, Write
from memtools.tools import add, search

from benchmarks.apart import Apart
from benchmarks.peer_systems.task import Vectors

# A search reads again what changed in the minutes before the last one. Seldom does a search follow an add that soon.
_LATER = timedelta(minutes=10)


def version() -> str:
    return metadata.version("memtools")


class Stores:
    """A TraceStore and a SegmentStore in dictionaries, for memories that are only ever added to."""

    def __init__(self) -> None:
        self._traces: dict[Scope, dict[str, Trace]] = {}
        self._segments: dict[Scope, StoredSegment] = {}

    def commit(self, scope: Scope, _: Stamp, writes: Sequence[Write], __: Sequence[StillSays] = ()) -> None:
        kept = self._traces.setdefault(scope, {})
        known = {one.after.id: KeyState(kept[one.after.id]) for one in writes if one.after.id in kept}
        if known:
            raise ConditionFailed(known)
        kept.update({one.after.id: one.after for one in writes})

    def changes(self, scope: Scope, since: datetime | None) -> list[Trace]:
        return [one for one in self._traces.get(scope, {}).values() if since is None or one.changed_at >= since]

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        kept = self._traces[scope]
        for name in expected:
            kept[name] = replace(kept[name], retrieval_count=kept[name].retrieval_count + 1, last_retrieved_at=now)
        return {name: kept[name] for name in expected}

    def load(self, scope: Scope) -> StoredSegment | None:
        return self._segments.get(scope)

    def save(self, scope: Scope, data: bytes, _: str | None) -> str:
        self._segments[scope] = StoredSegment(data, "")
        return ""


class Clock:
    """Goes on by a millisecond whenever it is looked at."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment


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
        self._clock = Clock()
        stores: Any = Apart(Stores())
        embedder: Any = Apart(Lookup(vectors))
        self._memory = Backend(traces=stores, segments=stores, personas=stores, now=self._clock.now, embedder=embedder)
        self._apart: tuple[Apart, ...] = (stores, embedder)

    @property
    def seconds_apart(self) -> float:
        return sum(one.seconds for one in self._apart)

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        """Equal texts share an id."""
        given = {"facts": list(texts)} | ({"occurredAt": moment} if moment else {})
        reply = add.TOOL.call(self._memory, Scope("peers", scope), given)
        self._clock.moment += _LATER
        ids = {fold(one.content): one.id for one in (*reply.saved, *reply.duplicates)}
        return [ids[fold(text)] for text in texts]

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        given = {"query": text, "limit": limit}
        return [one.id for one in search.TOOL.call(self._memory, Scope("peers", scope), given).results]
