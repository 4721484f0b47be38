"""What the tools need from the world. Every adapter and every fake passes the port's contract suite."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Stamp, Trace


class Embedder(Protocol):
    """Texts to embeddings."""

    @property
    def model(self) -> str:
        """The name under which embeddings are stored; those of different names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        """An embedding for each text, in order; ``None`` for all where the model fails.

        Never raises: no call fails because of a model.
        """
        ...


@dataclass(frozen=True, slots=True)
class Write:
    """One trace's step in a commit: ``after`` replaces ``before``; ``None`` asks for a free key.

    A key is free where no trace has it and where just the traces ``claimed_by`` claim its text. ``counted`` asks that
    ``before`` has not been retrieved since either.
    """

    before: Trace | None
    after: Trace
    claimed_by: tuple[str, ...] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class StillSays:
    """A condition of a commit: the trace ``id`` is alive and says ``content``, compared as facts are."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class KeyState:
    """What a key has: a trace, dead and expired ones too, and the ids that claim to say the key's text."""

    trace: Trace | None
    claimed_by: tuple[str, ...] = ()


class ConditionFailed(Exception):
    """A condition of a write failed; nothing was written. ``found``: the state of each key that was in the way."""

    def __init__(self, found: Mapping[str, KeyState] | None = None) -> None:
        super().__init__(", ".join(found or {}))
        self.found = found or {}


class TraceStore(Protocol):
    """Traces of one scope at a time. All reads are consistent; all methods raise Unavailable when the store is out."""

    def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Trace]:
        """The traces there are of these ids, dead and expired ones too."""
        ...

    def commit(self, scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays] = ()) -> None:
        """All of the writes or none, if all conditions hold; a version that is replaced stays in the history.

        Counts of retrievals are added to, never set, so that counting and changing do not get in each other's way.

        Raises:
            ConditionFailed: a trace is not at the version expected, a key is taken, a condition fails.
            TooLarge: the call comes to more changes than the store can make at once.
        """
        ...

    def changes(self, scope: Scope, since: datetime | None) -> Iterable[Trace]:
        """What the index needs of every trace changed at ``since`` or later (``None``: ever), oldest change first.

        Tombstones too. Not filled: counts, history and the names of writes. Read from the store as they are taken.
        """
        ...

    def history(self, scope: Scope, trace_id: str, now: datetime) -> Iterator[Trace]:
        """The trace's replaced versions that have an item of their own, newest first, those past retention left out."""
        ...

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        """Count a retrieval for each id that is live at the version expected; the traces as the table then holds them.

        An id that is gone, dead, expired or changed is not counted and not returned.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """The bytes of a segment, and the tag by which they are replaced."""

    data: bytes
    tag: str


class SegmentStore(Protocol):
    """A scope's segment, if any; bytes that may be lost, old or damaged. Both methods raise Unavailable."""

    def load(self, scope: Scope) -> StoredSegment | None:
        """The segment stored last."""
        ...

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        """Store ``data`` in the place of what has the tag ``replaces`` (``None``: where there was none); its own tag.

        Raises:
            ConditionFailed: something else stands there.
        """
        ...


class PersonaStore(Protocol):
    """Persona documents. All methods raise Unavailable when the store is out."""

    def read(self, scope: Scope, names: Sequence[str]) -> dict[str, Document]:
        """The documents there are of these names."""
        ...

    def versions(self, scope: Scope, name: str, limit: int) -> list[Document]:
        """The newest versions of a document, at most ``limit``, newest first, each with the time it was written."""
        ...

    def write(self, scope: Scope, document: Document, replaces: Document | None) -> Document:
        """Store ``document`` in the place of ``replaces`` (``None``: where there was none); the document as stored.

        Raises:
            ConditionFailed: another write came in between; nothing was written.
        """
        ...
