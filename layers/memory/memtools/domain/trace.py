"""A trace: one remembered fact, its key, its limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.errors import TooLarge

# DynamoDB takes items of up to 400 KB and transactions of up to 4 MB. A fact of this size leaves room for its
# embedding and for an earlier spelling kept beside it, and fifty of them still fit into the transaction of a merge.
FACT_LIMIT = 64 * 1024
CALL_LIMIT = 3 * 1024 * 1024


class Status(StrEnum):
    """Whether a trace is remembered. All but LIVE are tombstones, purged after the retention."""

    LIVE = "live"
    DELETED = "deleted"
    MERGED = "merged"


class Change(StrEnum):
    """What made a version."""

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    RESTORED = "restored"
    MERGED = "merged"
    MERGED_AWAY = "merged_away"
    UNMERGED = "unmerged"


@dataclass(frozen=True, slots=True)
class Embedding:
    """A vector of signed bytes and the name of the model that made it. Its direction counts, its length does not."""

    model: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """The merge a version stands on: ``sources`` went into it at version ``outcome``, which replaced ``replaced``.

    ``call`` is the fingerprint of the call that asked for it.
    """

    sources: tuple[str, ...]
    replaced: int
    outcome: int
    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One version of a fact. Times are aware and in UTC.

    ``inline_history``: versions that this one replaced and that have no history item of their own, oldest first.
    ``writes`` names the last writes that made this version, newest first: by it a retry recognises its own success.
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
        """Past its time, be it a trace or a tombstone, though the store may hold it for a while yet."""
        return self.expires_at is not None and self.expires_at <= now

    def says(self, content: str) -> bool:
        """Whether this is the same fact, spelling of white space and case aside."""
        return fold(self.content) == fold(content)

    @property
    def when(self) -> datetime:
        """When it happened, as far as known."""
        return self.occurred_at or self.created_at


@dataclass(frozen=True, slots=True)
class Stamp:
    """The moment and the name of a write; the same for all that one call writes."""

    now: datetime
    write: str


def key_of(scope: Scope, content: str) -> str:
    """The id that a fact gets at birth, from scope and folded content: the same fact meets the same key."""
    return "mt_" + digest(scope.key, fold(content))


def spare_id(key: str, stamp: Stamp) -> str:
    """The id for a fact whose own key is held by a trace that says something else by now."""
    return f"{key}-{digest(stamp.write)[:8]}"


def require_fitting(contents: Sequence[str], *, argument: str) -> None:
    """Raise TooLarge where a fact, or all facts of a call together, would not fit into the store."""
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
