"""A trace: one remembered fact, its versions and how one becomes the next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.errors import TooLarge

# DynamoDB takes items of up to 400 KB and transactions of up to 4 MB. A fact of this size leaves room for its
# embedding and for an earlier spelling kept beside it, and fifty of them still fit into the transaction of a merge.
FACT_LIMIT = 64 * 1024
CALL_LIMIT = 3 * 1024 * 1024
_WRITES_KEPT = 8


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
class Merge:
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

    ``before`` holds versions that this one replaced and that have no history item of their own, oldest first.
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
    merge: Merge | None = None
    reason: str | None = None
    before: tuple["Trace", ...] = ()
    writes: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        """Neither deleted nor merged away, though it may have expired."""
        return self.status is Status.LIVE

    def alive(self, now: datetime) -> bool:
        """Live, and not expired at ``now``: the store removes what has expired only some time later."""
        return self.live and (self.expires_at is None or self.expires_at > now)

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
                f"Text {number} in `{argument}` has {size} bytes; a fact may have {FACT_LIMIT}. Say it in fewer words,"
                " or split it into several facts.",
                argument=argument,
                size=size,
                limit=FACT_LIMIT,
            )
    if sum(sizes) > CALL_LIMIT:
        raise TooLarge(
            f"The facts of this call have {sum(sizes)} bytes together; one call may bring {CALL_LIMIT}. Send them in"
            " several calls.",
            argument=argument,
            size=sum(sizes),
            limit=CALL_LIMIT,
        )


def next_version(trace: Trace, stamp: Stamp, change: Change, **fields: Any) -> Trace:
    """The version that replaces ``trace``, which gets a history item of its own."""
    return replace(
        trace,
        version=trace.version + 1,
        change=change,
        changed_at=stamp.now,
        writes=(stamp.write, *trace.writes)[:_WRITES_KEPT],
        before=(),
        **fields,
    )


def keep_before(after: Trace, replaced: Trace) -> Trace:
    """``after`` carrying ``replaced`` inside itself, for transactions with no room for a history item a trace."""
    return replace(after, before=(*replaced.before, replace(replaced, before=(), embedding=None)))


def revived(trace: Trace, birth: Trace, stamp: Stamp) -> Trace:
    """A dead trace that lives again because its fact was added once more; everything but its past is as at birth."""
    alive = next_version(
        trace,
        stamp,
        Change.ADDED,
        content=birth.content,
        tags=birth.tags,
        status=Status.LIVE,
        created_at=birth.created_at,
        occurred_at=birth.occurred_at,
        expires_at=birth.expires_at,
        embedding=birth.embedding,
        merged_from=(),
        merged_into=None,
        merge=None,
        reason=None,
    )
    return keep_before(alive, trace)
