"""Several traces become one, and nothing of them is lost."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memtools.domain.trace import Change, Embedding, Merge, Stamp, Status, Trace
from memtools.domain.versions import carried_over, keep_before, next_version

JOINER = " | "


def survivor_of(traces: Sequence[Trace]) -> Trace:
    """The trace retrieved most often; ties go to the first in the order given."""
    return max(traces, key=lambda trace: trace.retrieval_count)


def merged_content(traces: Sequence[Trace], wanted: str | None) -> str:
    """``wanted`` to the letter unless it is blank, else the contents in the order given."""
    if wanted is not None and wanted.strip():
        return wanted
    return JOINER.join(trace.content for trace in traces)


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


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

    The survivor's lineage names every trace that ever went into it, also by way of another survivor.
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
        merge=Merge(tuple(source.id for source in sources), survivor.version, survivor.version + 1, call),
    )
    return [(survivor, grown), *((source, _merged_away(source, survivor.id, stamp, retention)) for source in sources)]


def _last_expiry(traces: Sequence[Trace]) -> datetime | None:
    """What holds several facts lasts as long as the one that lasts longest."""
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
    return replace(keep_before(tombstone, source), embedding=None)


def unmerge(
    survivor: Trace,
    replaced: Trace,
    sources: Sequence[Trace],
    embeddings: Sequence[Embedding | None],
    stamp: Stamp,
) -> list[tuple[Trace, Trace]]:
    """The pairs of versions (before, after) that undo the survivor's last merge; the survivor first.

    ``replaced`` is the survivor as the merge met it, ``sources`` the tombstones that the merge left, each with an
    embedding. Retrievals since the merge stay with the survivor.
    """
    shrunk = next_version(
        survivor,
        stamp,
        Change.UNMERGED,
        content=replaced.content,
        tags=replaced.tags,
        embedding=replaced.embedding,
        expires_at=replaced.expires_at,
        retrieval_count=max(survivor.retrieval_count - sum(source.retrieval_count for source in sources), 0),
        merged_from=replaced.merged_from,
        merge=carried_over(replaced, survivor) or replaced.merge,
    )
    back = [_back(source, embedding, stamp) for source, embedding in zip(sources, embeddings, strict=True)]
    return [(survivor, shrunk), *zip(sources, back, strict=True)]


def _back(tombstone: Trace, embedding: Embedding | None, stamp: Stamp) -> Trace:
    earlier = tombstone.before[-1]
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
    return keep_before(live, tombstone)
