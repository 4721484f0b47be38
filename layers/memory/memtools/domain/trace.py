"""A trace: one remembered fact, its key, its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.domain.writes import call_of
from memtools.errors import TooLarge

# DynamoDB allows 400 KB in an item and 4 MB in a transaction. A fact of this size leaves room in its item for the
# embedding and for an earlier version, and fifty such facts fit into the transaction of a merge.
FACT_LIMIT = 64 * 1024
CALL_LIMIT = 3 * 1024 * 1024
TAG_LIMIT = 50
TAG_LENGTH = 100
ID_LENGTH = 100
REASON_LENGTH = 1000
# How long the tombstone of an erased scope is kept. No index that was last read longer ago is trusted.
ERASURE_KEPT = timedelta(days=30)
# Its id, which no other trace has.
ERASED = "erased"


class Status(StrEnum):
    """Whether a trace is live. All others are tombstones, which are purged after the retention.

    ``ERASED`` is the tombstone of everything that the scope had; only a scope that was erased has one.
    """

    LIVE = "live"
    DELETED = "deleted"
    MERGED = "merged"
    ERASED = "erased"


class Change(StrEnum):
    """The change that made a version."""

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    RESTORED = "restored"
    MERGED = "merged"
    MERGED_AWAY = "merged_away"
    UNMERGED = "unmerged"


@dataclass(frozen=True, slots=True)
class Embedding:
    """A vector of signed bytes, of which only the direction matters, and the name of the model that made it.

    The vector is empty if the model does not understand the text.
    """

    model: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """The last merge into a survivor: ``sources`` joined version ``replaced`` and made version ``outcome``.

    ``call`` is the fingerprint of the call.
    """

    sources: tuple[str, ...]
    replaced: int
    outcome: int
    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One version of a fact. Times are timezone-aware, in UTC.

    ``inline_history`` has replaced versions without a history item, oldest first. ``writes`` names the last writes of
    the trace, newest first, so that a retry recognises its own success.
    """

    id: str
    content: str
    created_at: datetime
    changed_at: datetime
    tags: tuple[str, ...] = ()
    version: int = 1
    status: Status = Status.LIVE
    change: Change = Change.ADDED
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    retrieval_count: int = 0
    last_retrieved_at: datetime | None = None
    embedding: Embedding | None = None
    merged_from: tuple[str, ...] = ()
    merged_into: str | None = None
    merge: MergeRecord | None = None
    reason: str | None = None
    inline_history: tuple["Trace", ...] = ()
    writes: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        """Neither deleted nor merged away, though it may have expired."""
        return self.status is Status.LIVE

    def alive(self, now: datetime) -> bool:
        """Live, and not expired at ``now``."""
        return self.live and not self.expired(now)

    def expired(self, now: datetime) -> bool:
        """Whether its expiry has passed. The store may keep it for a while longer."""
        return self.expires_at is not None and self.expires_at <= now

    def says(self, content: str) -> bool:
        """Whether this is the same fact, regardless of white space and case."""
        return fold(self.content) == fold(content)

    @property
    def when(self) -> datetime:
        """When it happened, or else when it was created."""
        return self.occurred_at or self.created_at


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time and the name of a write, the same for everything that a call writes.

    ``keyed``: the name comes from the call's idempotency key, so the same call sent again has the same name.
    """

    now: datetime
    write: str
    keyed: bool = False


def erasure(moment: datetime) -> Trace:
    """The tombstone of all that a scope had until ``moment``."""
    return Trace(id=ERASED, content="", created_at=moment, changed_at=moment, status=Status.ERASED)


def key_of(scope: Scope, content: str) -> str:
    """The id of a fact's new trace, from scope and folded content, so that the same fact has the same key."""
    return "mt_" + digest(scope.key, fold(content))


def spare_id(key: str, stamp: Stamp) -> str:
    """The id for a fact if the trace at its own key says something else now; the same if the call is sent again."""
    return f"{key}-{digest(call_of(stamp.write))[:8]}"


def require_fitting(contents: Sequence[str], *, argument: str) -> None:
    """Raise TooLarge if a fact, or all facts of a call together, exceed their limit."""
    sizes = [len(content.encode()) for content in contents]
    for number, size in enumerate(sizes, 1):
        if size > FACT_LIMIT:
            raise TooLarge(
                f"Text {number} in `{argument}` has {size} bytes; the limit for a fact is {FACT_LIMIT}. Shorten it, or"
                " split it into several facts.",
                argument=argument,
                size=size,
                limit=FACT_LIMIT,
            )
    if sum(sizes) > CALL_LIMIT:
        raise TooLarge(
            f"The facts of this call have {sum(sizes)} bytes together; the limit for a call is {CALL_LIMIT}. Send them"
            " in several calls.",
            argument=argument,
            size=sum(sizes),
            limit=CALL_LIMIT,
        )
