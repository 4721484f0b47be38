"""The interfaces that the tools use. Every adapter and every fake passes its port's contract suite."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Stamp, Trace


class Embedder(Protocol):
    """Makes embeddings of texts."""

    @property
    def model(self) -> str:
        """The name that is stored with embeddings. Embeddings with different names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        """An embedding for each text, in order; ``None`` for all if the model fails.

        The vector of a text that the model does not understand is empty.

        Never raises, because no call should fail because of a model.
        """
        ...


@dataclass(frozen=True, slots=True)
class Write:
    """One trace's step in a commit: ``after`` replaces ``before``. If ``before`` is ``None``, the key must be free.

    A key is free if no trace has it and exactly the traces in ``claimed_by`` claim its text. ``counted`` adds the
    condition that ``before`` has not been retrieved since it was read.
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
    """The state of a key: its trace, which may be dead or expired, and the ids that claim the key's text."""

    trace: Trace | None
    claimed_by: tuple[str, ...] = ()


class ConditionFailed(Exception):
    """A condition of a write failed; nothing was written. ``found`` has the state of each key that was in the way.

    It may be the write's own success: the response was lost, and the write was sent again. Then what is there names it.
    """

    def __init__(self, found: Mapping[str, KeyState] | None = None) -> None:
        super().__init__(", ".join(found or {}))
        self.found = found or {}


class TraceStore(Protocol):
    """Stores traces. All reads are consistent. All methods raise Unavailable if the store does not answer."""

    def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Trace]:
        """The traces with these ids that exist, including dead and expired ones."""
        ...

    def commit(self, scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays] = ()) -> None:
        """Make all of the writes if all conditions are true, else none. Replaced versions stay in the history.

        Retrieval counts are incremented, never set, so that searches and changes do not conflict.

        Raises:
            ConditionFailed: a trace is not at the expected version, a key is not free, or a condition is false.
            TooLarge: the call needs more changes than the store can make at once.
        """
        ...

    def changes(self, scope: Scope, since: datetime | None) -> Iterable[Trace]:
        """Every trace that changed at ``since`` or later (``None``: all traces), oldest change first.

        They include tombstones. Counts, history and names of writes are missing, because an index does not need them.
        Pages are read from the store during the iteration.
        """
        ...

    def history(self, scope: Scope, trace_id: str, now: datetime) -> Iterator[Trace]:
        """The trace's replaced versions that have their own item, newest first, without those past retention."""
        ...

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        """Count a retrieval of each id that is alive at the expected version; all of the traces as they are now.

        Others are not counted: those that are dead, expired or changed.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """The bytes of a segment, and the tag that a write names to replace them."""

    data: bytes
    tag: str


class SegmentStore(Protocol):
    """Stores one segment for each scope. It may be missing, old or damaged. Both methods raise Unavailable."""

    def load(self, scope: Scope) -> StoredSegment | None:
        """The segment that was stored last, if there is one."""
        ...

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        """Replace the segment with the tag ``replaces`` (``None``: there is none) with ``data``; the new tag.

        Raises:
            ConditionFailed: another segment is stored; nothing was written.
        """
        ...


class PersonaStore(Protocol):
    """Stores persona documents. All methods raise Unavailable if the store does not answer."""

    def read(self, scope: Scope, names: Sequence[str]) -> dict[str, Document]:
        """The documents with these names that exist."""
        ...

    def versions(self, scope: Scope, name: str, limit: int) -> list[Document]:
        """The newest versions of a document, at most ``limit``, newest first, each with the time it was written."""
        ...

    def version(self, scope: Scope, name: str, version: str) -> Document | None:
        """One version of a document, if it is still kept."""
        ...

    def write(self, scope: Scope, document: Document, replaces: Document | None) -> Document:
        """Replace ``replaces`` (``None``: there is no document) with ``document``; the document as stored.

        Raises:
            ConditionFailed: another write came first; nothing was written.
        """
        ...
