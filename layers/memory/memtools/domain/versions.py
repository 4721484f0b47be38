"""How one version of a trace becomes the next, and how an earlier one comes back. Nothing is ever only overwritten."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memtools.domain.trace import Change, Embedding, Merge, Stamp, Status, Trace

_WRITES_KEPT = 8


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


def updated(trace: Trace, content: str, tags: Sequence[str], embedding: Embedding | None, stamp: Stamp) -> Trace:
    """The trace with other content or tags."""
    return next_version(trace, stamp, Change.UPDATED, content=content, tags=tuple(tags), embedding=embedding)


def deleted(trace: Trace, reason: str | None, stamp: Stamp, retention: timedelta) -> Trace:
    """The tombstone of a trace, to be purged after the retention."""
    return next_version(
        trace,
        stamp,
        Change.DELETED,
        status=Status.DELETED,
        reason=reason,
        expires_at=stamp.now + retention,
        embedding=None,
    )


def restored(trace: Trace, earlier: Trace, embedding: Embedding | None, stamp: Stamp) -> Trace:
    """The trace, live, with content, tags and expiry of an earlier version. What was merged into it stays so."""
    return next_version(
        trace,
        stamp,
        Change.RESTORED,
        content=earlier.content,
        tags=earlier.tags,
        status=Status.LIVE,
        occurred_at=earlier.occurred_at,
        expires_at=earlier.expires_at,
        embedding=embedding,
        merged_into=None,
        reason=None,
        merge=carried_over(earlier, trace) or trace.merge,
    )


def is_same(earlier: Trace, current: Trace) -> bool:
    """Whether restoring ``earlier`` would change nothing, also not whether a merge can be undone."""
    can_unmerge = current.merge is not None and current.merge.outcome == current.version
    return (
        current.live
        and (earlier.content, earlier.tags) == (current.content, current.tags)
        and (can_unmerge or carried_over(earlier, current) is None)
    )


def carried_over(earlier: Trace, current: Trace) -> Merge | None:
    """The merge that ``earlier`` is the outcome of, now that the version after ``current`` stands for it."""
    if earlier.merge is None or earlier.merge.outcome != earlier.version:
        return None
    return replace(earlier.merge, outcome=current.version + 1)


def newest_first(current: Trace, history: Iterable[Trace]) -> list[Trace]:
    """All versions there are: the current one, those that it carries, and the history's with those that they carry."""
    return [version for carrier in (current, *history) for version in (carrier, *reversed(carrier.before))]
