"""How one version of a trace becomes the next, how traces merge, and how an earlier version comes back.

Nothing is lost: the replaced version is kept in a history item or inside the new one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from memtools.domain.trace import Change, Embedding, MergeRecord, Stamp, Status, Trace
from memtools.domain.writes import with_name

JOINER = " | "


def next_version(trace: Trace, stamp: Stamp, change: Change, **fields: Any) -> Trace:
    """The version that replaces ``trace``, if ``trace`` gets its own history item."""
    return replace(
        trace,
        version=trace.version + 1,
        change=change,
        changed_at=stamp.now,
        writes=with_name(stamp.write, trace.writes),
        inline_history=(),
        **fields,
    )


def carrying(after: Trace, replaced: Trace) -> Trace:
    """``after`` with ``replaced`` in its inline history, for transactions without room for history items."""
    return replace(
        after, inline_history=(*replaced.inline_history, as_past(replace(replaced, inline_history=(), embedding=None)))
    )


def as_past(trace: Trace) -> Trace:
    """A replaced version as it is kept: it names the write that made it, and no earlier ones."""
    return replace(trace, writes=trace.writes[:1])


def revived(trace: Trace, birth: Trace, stamp: Stamp) -> Trace:
    """A dead trace made live by adding its fact again. Everything except its history is as in a new trace."""
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
    return carrying(alive, trace)


def updated(trace: Trace, content: str, tags: Sequence[str], embedding: Embedding | None, stamp: Stamp) -> Trace:
    """The trace with new content or tags."""
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
    """The trace, live, with the content, tags and times of an earlier version. Traces merged into it stay merged."""
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
    """Whether restoring ``earlier`` would change nothing, including whether a merge can be undone."""
    return (
        current.live
        and (earlier.content, earlier.tags) == (current.content, current.tags)
        and (undoable_merge(current) is not None or carried_over(earlier, current) is None)
    )


def undoable_merge(trace: Trace) -> MergeRecord | None:
    """The last merge into this trace, if the trace is as that merge made it."""
    return trace.merge if trace.merge and trace.merge.outcome == trace.version else None


def carried_over(earlier: Trace, current: Trace) -> MergeRecord | None:
    """The merge whose outcome ``earlier`` is, if any, with the version after ``current`` as its new outcome."""
    merge = undoable_merge(earlier)
    return merge and replace(merge, outcome=current.version + 1)


def within_retention(trace: Trace, cutoff: datetime) -> Trace:
    """The trace without those versions in its inline history that were replaced at ``cutoff`` or before."""
    replaced_at = [version.changed_at for version in (*trace.inline_history[1:], trace)]
    kept = [version for version, end in zip(trace.inline_history, replaced_at, strict=False) if end > cutoff]
    return replace(trace, inline_history=tuple(kept))


def newest_first(current: Trace, history: Iterable[Trace], cutoff: datetime) -> list[Trace]:
    """All versions that are kept, including those in inline histories, except what was replaced before ``cutoff``."""
    carriers = [within_retention(carrier, cutoff) for carrier in (current, *history)]
    return [version for carrier in carriers for version in (carrier, *reversed(carrier.inline_history))]


# ---------------------------------------------------------------- merging


def survivor_of(traces: Sequence[Trace]) -> Trace:
    """The trace retrieved most often; ties go to the first in the order given."""
    return max(traces, key=lambda trace: trace.retrieval_count)


def merged_content(traces: Sequence[Trace], wanted: str | None) -> str:
    """``wanted`` verbatim unless it is blank, else the joined contents in the order given."""
    if wanted is not None and wanted.strip():
        return wanted
    return JOINER.join(trace.content for trace in traces)


def merge(
    traces: Sequence[Trace],
    *,
    content: str,
    embedding: Embedding | None,
    call: str,
    stamp: Stamp,
    retention: timedelta,
) -> list[tuple[Trace, Trace]]:
    """The pairs of versions (before, after) that merge ``traces``, which are live and distinct; the survivor first.

    The survivor's lineage has every trace that was ever merged into it, directly or through another survivor.
    """
    survivor = survivor_of(traces)
    sources = [trace for trace in traces if trace is not survivor]
    lineage = [name for source in sources for name in (source.id, *source.merged_from)]
    grown = next_version(
        survivor,
        stamp,
        Change.MERGED,
        content=content,
        tags=_distinct([tag for trace in traces for tag in trace.tags]),
        retrieval_count=sum(trace.retrieval_count for trace in traces),
        embedding=embedding,
        expires_at=_last_expiry(traces),
        merged_from=tuple(name for name in _distinct([*survivor.merged_from, *lineage]) if name != survivor.id),
        merge=MergeRecord(tuple(source.id for source in sources), survivor.version, survivor.version + 1, call),
    )
    return [(survivor, grown), *((source, _merged_away(source, survivor.id, stamp, retention)) for source in sources)]


def _last_expiry(traces: Sequence[Trace]) -> datetime | None:
    """The latest expiry; none if any of the traces never expires."""
    ends = [trace.expires_at for trace in traces if trace.expires_at is not None]
    return max(ends) if len(ends) == len(traces) else None


def _merged_away(source: Trace, survivor_id: str, stamp: Stamp, retention: timedelta) -> Trace:
    tombstone = next_version(
        source,
        stamp,
        Change.MERGED_AWAY,
        status=Status.MERGED,
        merged_into=survivor_id,
        expires_at=stamp.now + retention,
    )
    return replace(carrying(tombstone, source), embedding=None)


def unmerge(
    survivor: Trace,
    replaced: Trace,
    sources: Sequence[Trace],
    embeddings: Sequence[Embedding | None],
    stamp: Stamp,
) -> list[tuple[Trace, Trace]]:
    """The pairs of versions (before, after) that undo the survivor's last merge; the survivor first.

    ``replaced`` is the survivor before the merge. ``sources`` are the tombstones that the merge left, and
    ``embeddings`` theirs. Retrievals since the merge stay with the survivor.
    """
    shrunk = next_version(
        survivor,
        stamp,
        Change.UNMERGED,
        content=replaced.content,
        tags=replaced.tags,
        embedding=replaced.embedding,
        expires_at=replaced.expires_at,
        retrieval_count=survivor.retrieval_count - sum(source.retrieval_count for source in sources),
        merged_from=replaced.merged_from,
        merge=carried_over(replaced, survivor) or replaced.merge,
    )
    back = [_back(source, embedding, stamp) for source, embedding in zip(sources, embeddings, strict=True)]
    return [(survivor, shrunk), *zip(sources, back, strict=True)]


def _back(tombstone: Trace, embedding: Embedding | None, stamp: Stamp) -> Trace:
    earlier = tombstone.inline_history[-1]
    live = next_version(
        tombstone,
        stamp,
        Change.UNMERGED,
        status=Status.LIVE,
        merged_into=None,
        expires_at=earlier.expires_at,
        embedding=embedding,
        merge=carried_over(earlier, tombstone) or earlier.merge,
    )
    return carrying(live, tombstone)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
