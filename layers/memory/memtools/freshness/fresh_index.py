"""A scope's index with every change in it that was made before the call began, and the segment saved of it."""

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

# Clocks differ, and a write takes a while to land: changes are read again from this long before they were last read.
OVERLAP = timedelta(minutes=3)
# A search writes a new segment when more than FEW changes, and more than a SHARE-th of the segment's rows, have come
# since. A change to a row of the segment counts twice: for the row it kills and the row it adds. So a scope that grows
# to n traces writes at most (SHARE + 1) * n rows in all. A cold search reads no more changes than that, plus those of
# the last OVERLAP before the segment was written, which the segment has as well. Where these are many (a bulk load that
# was searched at once), the segment is written once more when they are old enough: 2 * (SHARE + 1) * n rows at most.
FEW = 256
SHARE = 8
_BATCH = 10_000  # changes folded in at once: what was read of a scope too large for one call is not lost


@contextmanager
def fresh_index(backend: Backend, scope: Scope) -> Iterator[Index]:
    """The index as the table has it. Raises Unavailable where the table or the segments are out.

    A new segment, if it is time for one, is written on leaving: the answer is ready by then, and waits at worst.
    """
    now = backend.now()
    model = backend.embedder.model
    cached = backend.recent.get(scope)
    if cached is None or cached.index.model != model:
        cached = _load(backend, scope)
    if cached.read_at and cached.read_at <= now - backend.retention + OVERLAP:
        # The table may have purged tombstones since: what the index has could be dead.
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
    """Drop from the index what the table no longer has as the index says; a later change tells what became of it.

    So a scope that was erased elsewhere costs no search twice.
    """
    if cached := backend.recent.get(scope):
        backend.recent.put(scope, replace(cached, index=cached.index.without(ids)))


def _load(backend: Backend, scope: Scope) -> CachedIndex:
    """What the segment says; an empty index where there is none that can be used."""
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
    """Fold in the changes since; also how many of them a segment written ``now`` would save from being read again.

    Where there are too many for the time left, the next call goes on from there.
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
    """Whether so much has changed since the segment, or so many vectors were filled in, that it is time for another."""
    changes = max(cached.index.changes, settled)
    few_filled = min(FEW, len(cached.index) // SHARE)
    return changes > max(FEW, len(cached.index.base) // SHARE) or filled > few_filled


def _compact_and_save(backend: Backend, scope: Scope, cached: CachedIndex, now: datetime) -> None:
    """Put all in one part, in memory and in a segment."""
    cached = replace(cached, index=cached.index.compacted(now))
    try:
        backend.recent.put(scope, replace(cached, stored=_save(backend, scope, cached)))
    except ConditionFailed:  # another segment was written meanwhile: the next call reads that one
        backend.recent.drop(scope)


def _save(backend: Backend, scope: Scope, cached: CachedIndex) -> str | None:
    """Store the compacted index as the scope's segment; the tag of the segment that is stored afterwards.

    Where the store is out, the old one stays: no search fails because its index cannot be saved.
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
