"""The scopes' indexes in this process, each brought up to date with the table before it is used."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from memtools.current_call import Metric, increment
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Unavailable
from memtools.ports import ConditionFailed, Embedder, SegmentStore, TraceStore

if TYPE_CHECKING:  # numpy comes with it, and functions that only write need none
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
# A function has 1 GB: for the model (100 MB) and, while it rewrites a segment, for that segment three times.
_BYTES = 192 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CachedIndex:
    """A scope's index, with every change that the table had at ``read_at`` (``None``: never read).

    Where reading was interrupted, it has the changes up to ``through`` only. ``stored`` is the tag of the segment in
    the store. ``backfilled_at`` is when vectors were last made for traces without one, and ``refused`` the place after
    which to go on, if the model failed then.
    """

    index: "Index"
    read_at: datetime | None = None
    backfilled_at: datetime | None = None
    stored: str | None = None
    through: datetime | None = None
    refused: int | None = None


class Indexes:
    """Forgets the scope used longest ago when all together take more than ``limit`` bytes; the last one used stays.

    Safe to share between threads: of two that keep the same scope the later wins; what the other knew is read again.
    """

    def __init__(
        self,
        *,
        traces: TraceStore,
        segments: SegmentStore,
        embedder: Embedder,
        now: Callable[[], datetime],
        retention: timedelta,
        limit: int = _BYTES,
    ) -> None:
        self._traces = traces
        self._segments = segments
        self._embedder = embedder
        self._now = now
        self._retention = retention
        self._limit = limit
        self._cached: OrderedDict[Scope, CachedIndex] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def fresh(self, scope: Scope) -> Iterator["Index"]:
        """The scope's index as the table has it. Raises Unavailable where the table or the segments are out.

        A new segment, if it is time for one, is written on leaving: the answer is ready by then, and waits at worst.
        """
        now = self._now()
        model = self._embedder.model
        cached = self.cached(scope)
        if cached is None or cached.index.model != model:
            cached = self._load(scope)
        if cached.read_at and cached.read_at <= now - self._retention + OVERLAP:
            # The table may have purged tombstones since: what the index has could be dead.
            cached = replace(cached, index=cached.index.empty(model), read_at=None, through=None)
        cached, settled = self._fold_changes(scope, replace(cached, read_at=cached.read_at or now), now)
        cached, filled = replace(cached, read_at=now, through=now), 0
        if model and len(cached.index.unembedded):
            from memtools.freshness.backfill import backfill

            cached, filled = backfill(cached, scope, self._traces, self._embedder, self._now)
        self.keep(scope, cached)
        yield cached.index
        if _should_compact(cached, settled, filled):
            self._compact_and_save(scope, self.cached(scope) or cached, now)

    def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        """Drop from the index what the table no longer has as the index says; a later change tells what became of it.

        So a scope that was erased elsewhere costs no search twice.
        """
        if cached := self.cached(scope):
            self.keep(scope, replace(cached, index=cached.index.without(ids)))

    def cached(self, scope: Scope) -> CachedIndex | None:
        """The scope's index as the last call left it, if it is among the recent ones."""
        with self._lock:
            if found := self._cached.get(scope):
                self._cached.move_to_end(scope)
            return found

    def keep(self, scope: Scope, cached: CachedIndex) -> None:
        """Keep ``cached`` instead of what was kept before."""
        with self._lock:
            self._cached[scope] = cached
            self._cached.move_to_end(scope)
            size = sum(one.index.size for one in self._cached.values())
            while size > self._limit and len(self._cached) > 1:
                size -= self._cached.popitem(last=False)[1].index.size

    def drop(self, scope: Scope) -> None:
        """Forget the scope."""
        with self._lock:
            self._cached.pop(scope, None)

    def _load(self, scope: Scope) -> CachedIndex:
        """What the segment says; an empty index where there is none that can be used."""
        from memtools.freshness.segment import Segment, Unusable, intact
        from memtools.ranking.index import Index

        empty = CachedIndex(Index.empty(self._embedder.model))
        stored = self._segments.load(scope)
        if stored is None:
            return empty
        try:
            segment = Segment.of_bytes(stored.data, self._embedder.model) if intact(stored.data) else None
        except Unusable:
            segment = None
        if segment is None:
            increment(Metric.SEGMENT_UNUSABLE)
            return replace(empty, stored=stored.tag)
        return CachedIndex(Index(segment.columns), segment.read_at, stored=stored.tag, through=segment.read_at)

    def _fold_changes(self, scope: Scope, cached: CachedIndex, now: datetime) -> tuple[CachedIndex, int]:
        """Fold in the changes since; also how many of them a segment written ``now`` would save from being read again.

        Where there are too many for the time left, the next call goes on from there.
        """
        settled = 0
        changes: Iterator[Trace] = iter(self._traces.changes(scope, cached.through and cached.through - OVERLAP))
        try:
            while batch := list(islice(changes, _BATCH)):
                cached = replace(cached, index=cached.index.fold(batch), through=batch[-1].changed_at)
                settled += sum(trace.changed_at < now - OVERLAP for trace in batch)
        except Unavailable:
            self.keep(scope, cached)
            raise
        return cached, settled

    def _compact_and_save(self, scope: Scope, cached: CachedIndex, now: datetime) -> None:
        """Put all in one part, in memory and in a segment.

        Where the store is out, the old segment stays: no search fails because its index cannot be saved.
        """
        from memtools.freshness.segment import Segment

        cached = replace(cached, index=cached.index.compacted(now))
        assert cached.read_at is not None
        try:
            data = Segment(cached.index.base, cached.read_at).to_bytes()
            cached = replace(cached, stored=self._segments.save(scope, data, cached.stored))
            increment(Metric.SEGMENT_WRITTEN)
        except Unavailable:
            increment(Metric.SEGMENT_UNWRITTEN)
        except ConditionFailed:  # another segment was written meanwhile: the next call reads that one
            self.drop(scope)
            return
        self.keep(scope, cached)


def _should_compact(cached: CachedIndex, settled: int, filled: int) -> bool:
    """Whether so much has changed since the segment, or so many vectors were filled in, that it is time for another."""
    changes = max(cached.index.changes, settled)
    few_filled = min(FEW, len(cached.index) // SHARE)
    return changes > max(FEW, len(cached.index.base) // SHARE) or filled > few_filled
