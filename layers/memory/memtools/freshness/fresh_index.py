"""Brings a scope's index up to date with all changes before the call, and saves its segment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from memtools.backend import Backend
from memtools.counters import Metric, increment
from memtools.domain.scope import Scope
from memtools.errors import Unavailable
from memtools.freshness.backfill import backfill
from memtools.freshness.cache import CachedIndex
from memtools.freshness.segment import Segment, Unusable, intact
from memtools.ports import ConditionFailed
from memtools.ranking.index import Index

# Clocks differ, and writes take time. So changes are read again from this long before the last read.
OVERLAP = timedelta(minutes=3)
# A search writes a new segment after more than FEW changes, and more than one for every SHARE rows of the segment. A
# change to a row of the segment counts twice: for the row that becomes dead and for the new one. So a scope that grows
# to n traces writes at most (SHARE + 1) * n rows in all. A cold search reads no more changes than that, plus those of
# the last OVERLAP before the segment was written, which the segment also has. If these are many (a bulk load that was
# searched at once), the segment is written once more when they are old enough: 2 * (SHARE + 1) * n rows at most.
FEW = 256
SHARE = 8
_BATCH = 10_000  # changes folded in one step, which are kept if a scope is too large to be read in one call


@contextmanager
def fresh_index(backend: Backend, scope: Scope) -> Iterator[Index]:
    """The index with all changes in the table. Raises Unavailable if the table or the segments do not answer.

    A new segment, if it is time for one, is written on leaving, when the result is ready: a failure can only delay it.
    """
    now = backend.now()
    model = backend.embedder.model
    cached = backend.recent.get(scope)
    if cached is None or cached.index.model != model:
        cached = _load(backend, scope)
    if cached.read_at and cached.read_at <= now - backend.retention + OVERLAP:
        # The table may have purged tombstones since then, so the index may have traces that are dead.
        cached = replace(cached, index=Index.empty(model), read_at=None, through=None)
    cached, settled = _fold_changes(backend, scope, replace(cached, read_at=cached.read_at or now), now)
    cached, filled = replace(cached, read_at=now, through=now), 0
    if model and len(cached.index.unembedded):
        cached, filled = backfill(backend, scope, cached, now)
    backend.recent.put(scope, cached)
    yield cached.index
    if _should_compact(cached, settled, filled):
        _compact_and_save(backend, scope, backend.recent.get(scope) or cached, now)


def forget(backend: Backend, scope: Scope, ids: Sequence[str]) -> None:
    """Drop traces that the table no longer has at the index's version. If they changed, the next read adds them again.

    So traces of a scope that was erased elsewhere slow down only one search.
    """
    if cached := backend.recent.get(scope):
        backend.recent.put(scope, replace(cached, index=cached.index.without(ids)))


def _load(backend: Backend, scope: Scope) -> CachedIndex:
    """The index of the segment, or an empty one if there is no usable segment."""
    empty = CachedIndex(Index.empty(backend.embedder.model))
    stored = backend.segments.load(scope)
    if stored is None:
        return empty
    try:
        segment = Segment.of_bytes(stored.data, backend.embedder.model) if intact(stored.data) else None
    except Unusable:
        segment = None
    if segment is None:
        increment(Metric.SEGMENT_UNUSABLE)
        return replace(empty, stored=stored.tag)
    return CachedIndex(Index(segment.columns), segment.read_at, stored=stored.tag, through=segment.read_at)


def _fold_changes(backend: Backend, scope: Scope, cached: CachedIndex, now: datetime) -> tuple[CachedIndex, int]:
    """Fold in all later changes; also how many of them would not be read again if a segment were written ``now``.

    If there are too many for the time left, the next call continues from there.
    """
    settled = 0
    changes = iter(backend.traces.changes(scope, cached.through and cached.through - OVERLAP))
    try:
        while batch := list(islice(changes, _BATCH)):
            cached = replace(cached, index=cached.index.fold(batch), through=batch[-1].changed_at)
            settled += sum(trace.changed_at < now - OVERLAP for trace in batch)
    except Unavailable:
        backend.recent.put(scope, cached)
        raise
    return cached, settled


def _should_compact(cached: CachedIndex, settled: int, filled: int) -> bool:
    """Whether it is time for a new segment, because of changes or of vectors that were filled in."""
    changes = max(cached.index.changes, settled)
    few_filled = min(FEW, len(cached.index) // SHARE)
    return changes > max(FEW, len(cached.index.base) // SHARE) or filled > few_filled


def _compact_and_save(backend: Backend, scope: Scope, cached: CachedIndex, now: datetime) -> None:
    """Compact the index, and save it as the segment."""
    cached = replace(cached, index=cached.index.compacted(now))
    try:
        backend.recent.put(scope, replace(cached, stored=_save(backend, scope, cached)))
    except ConditionFailed:  # another one was written meanwhile: the next call reads it
        backend.recent.drop(scope)


def _save(backend: Backend, scope: Scope, cached: CachedIndex) -> str | None:
    """Save the compacted index as the scope's segment; the tag of the segment that is stored afterwards.

    If the store does not answer, the old segment stays. No search fails because its index cannot be saved.
    """
    assert cached.read_at is not None
    data = Segment(cached.index.base, cached.read_at).to_bytes()
    try:
        tag = backend.segments.save(scope, data, cached.stored)
    except Unavailable:
        increment(Metric.SEGMENT_UNWRITTEN)
        return cached.stored
    increment(Metric.SEGMENT_WRITTEN)
    return tag
