"""Plain in-memory stands-ins for the ports. They pass the same contract suites as the adapters."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from memtools.domain.document import ABSENT, FILES, Document
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Stamp, Status, Trace, key_of
from memtools.domain.versions import as_past
from memtools.ports import ConditionFailed, KeyState, StillSays, StoredSegment, Write

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


class FakeClock:
    """A clock that goes on by a millisecond whenever it is looked at, and by more when told."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by


class FakeTraces:
    """A TraceStore in a dictionary."""

    def __init__(self, retention: timedelta) -> None:
        self._retention = retention
        self._traces: dict[tuple[Scope, str], Trace] = {}
        self._history: dict[tuple[Scope, str], list[tuple[Trace, datetime]]] = {}
        self._lock = threading.Lock()

    def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Trace]:
        return {name: self._traces[scope, name] for name in ids if (scope, name) in self._traces}

    def commit(self, scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays] = ()) -> None:
        with self._lock:
            found = {key: self._key_state(scope, key) for write in writes for key in self._obstacles(scope, write)}
            for one in conditions:
                trace = self._traces.get((scope, one.id))
                if trace is None or not trace.alive(stamp.now) or not trace.says(one.content):
                    found[one.id] = self._key_state(scope, one.id)
            if found:
                raise ConditionFailed(found)
            for write in writes:
                self._take(scope, stamp, write)

    def _obstacles(self, scope: Scope, write: Write) -> Iterator[str]:
        """The keys at which not all is as the write expects."""
        standing = self._traces.get((scope, write.after.id))
        if write.before is None:
            if standing is not None:
                yield write.after.id
            key = key_of(scope, write.after.content)
            if set(self._key_state(scope, key).claimed_by) != set(write.claimed_by):
                yield key
        elif (
            standing is None
            or standing.version != write.before.version
            or (write.counted and standing.retrieval_count != write.before.retrieval_count)
        ):
            yield write.after.id

    def _key_state(self, scope: Scope, key: str) -> KeyState:
        claimed_by = [
            trace.id
            for (owner, _), trace in self._traces.items()
            if owner == scope and trace.id != key
            if trace.status is not Status.DELETED and key_of(scope, trace.content) == key
        ]
        return KeyState(self._traces.get((scope, key)), tuple(sorted(claimed_by)))

    def _take(self, scope: Scope, stamp: Stamp, write: Write) -> None:
        standing = self._traces.get((scope, write.after.id))
        if write.before is None or standing is None:
            self._traces[scope, write.after.id] = write.after
            return
        counted = write.after.retrieval_count - write.before.retrieval_count
        self._traces[scope, write.after.id] = replace(
            write.after,
            retrieval_count=standing.retrieval_count + counted,
            last_retrieved_at=standing.last_retrieved_at,
        )
        if not write.after.inline_history:
            past = self._history.setdefault((scope, write.after.id), [])
            past.append((as_past(write.before), stamp.now + self._retention))

    def changes(self, scope: Scope, since: datetime | None) -> list[Trace]:
        mine = [trace for (owner, _), trace in self._traces.items() if owner == scope]
        changed = [trace for trace in mine if since is None or trace.changed_at >= since]
        return sorted(changed, key=lambda trace: trace.changed_at)

    def history(self, scope: Scope, trace_id: str, now: datetime) -> Iterator[Trace]:
        past = self._history.get((scope, trace_id), [])
        return (trace for trace, purged in reversed(past) if purged > now)

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        found = {}
        with self._lock:
            for name, version in expected.items():
                trace = self._traces.get((scope, name))
                if trace and trace.alive(now) and trace.version == version:
                    trace = replace(trace, retrieval_count=trace.retrieval_count + 1, last_retrieved_at=now)
                    self._traces[scope, name] = trace
                if trace:
                    found[name] = trace
        return found

    def purge(self, now: datetime) -> None:
        """Remove what has expired, as DynamoDB does sooner or later."""
        for key in [key for key, trace in self._traces.items() if trace.expired(now)]:
            del self._traces[key]


class FakePersonas:
    """A PersonaStore in a dictionary of lists of versions."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._versions: dict[tuple[str, ...], list[Document]] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()

    @staticmethod
    def _key(scope: Scope, name: str) -> tuple[str, ...]:
        return (scope.agent, scope.user, name) if name in FILES.values() else (scope.agent, name)

    def read(self, scope: Scope, names: Sequence[str]) -> dict[str, Document]:
        found = {name: self._versions.get(self._key(scope, name)) for name in names}
        return {name: versions[-1] for name, versions in found.items() if versions}

    def versions(self, scope: Scope, name: str, limit: int) -> list[Document]:
        return self._versions.get(self._key(scope, name), [])[::-1][:limit]

    def version(self, scope: Scope, name: str, version: str) -> Document | None:
        found = self._versions.get(self._key(scope, name), [])
        return next((one for one in found if one.version == version), None)

    def write(self, scope: Scope, document: Document, replaces: Document | None) -> Document:
        with self._lock:
            standing = self.read(scope, [document.name]).get(document.name)
            if (standing.tag if standing else None) != (replaces.tag if replaces else None):
                raise ConditionFailed
            number = str(next(self._numbers))
            stored = replace(
                document,
                version=number,
                tag=number,
                replaces=replaces.version if replaces else ABSENT,
                written_at=self._clock.now(),
            )
            self._versions.setdefault(self._key(scope, document.name), []).append(stored)
            return stored


class FakeEmbedder:
    """A bag of hashed words: the same words give the same direction."""

    model = "fake"
    dimensions = 64

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [Embedding(self.model, self._one(text)) for text in texts]

    def _one(self, text: str) -> bytes:
        vector = [0] * self.dimensions
        for word in text.casefold().split():
            vector[sum(word.encode()) % self.dimensions] += 1
        largest = max(vector) or 1
        return bytes(127 * value // largest for value in vector)


class FakeSegments:
    """A SegmentStore in a dictionary."""

    def __init__(self) -> None:
        self._stored: dict[Scope, StoredSegment] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()

    def load(self, scope: Scope) -> StoredSegment | None:
        return self._stored.get(scope)

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        with self._lock:
            standing = self._stored.get(scope)
            if (standing.tag if standing else None) != replaces:
                raise ConditionFailed
            tag = str(next(self._numbers))
            self._stored[scope] = StoredSegment(data, tag)
            return tag
