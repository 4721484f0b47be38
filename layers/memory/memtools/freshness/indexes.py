"""The scopes' indexes in this process, each brought up to date with the table before it is used."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from memtools.current_call import Metric, increment
from memtools.domain.scope import Scope
from memtools.domain.trace import ERASURE_KEPT, Status, Trace
from memtools.errors import ToolError, Unavailable
from memtools.ports import ConditionFailed, Embedder, SegmentStore, TraceStore

if TYPE_CHECKING:  # it imports numpy, which functions that only write do not need
    from memtools.ranking.index import Index

# Writes take time, and the store's time is known to two seconds. So changes are read again from this long before the
# last read.
OVERLAP = timedelta(minutes=3)
# A search writes a new segment after more than FEW changes, and more than one for every SHARE rows of the segment. A
# change to a row of the segment counts twice: for the row that becomes dead and for the new one. So a scope that grows
# to n traces writes at most (SHARE + 1) * n rows in all. A cold search reads no more changes than that, plus those of
# the last OVERLAP before the segment was written, which the segment also has. If these are many (a bulk load that was
# searched at once), the segment is written once more when they are old enough: 2 * (SHARE + 1) * n rows at most.
FEW = 256
SHARE = 8
_AHEAD = timedelta(minutes=1)  # how much later than now the last read may seem, because clocks are not exact
_BATCH = 10_000  # changes folded in one step, which are kept if a scope is too large to be read in one call
# A function has 1 GB: for the model (100 MB), and three times for a segment while it is rewritten.
_BYTES = 192 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CachedIndex:
    """A scope's index, with every change that the table had at ``read_at`` (``None``: never read).

    If reading was interrupted, it has only the changes up to ``through``. ``stored`` is the tag of the stored segment.
    ``backfilled_at`` is the time of the last back-fill, and ``refused`` the place after which to continue if the model
    failed then. ``erased_at`` is the time of the scope's last erasure that the index knows of.
    """

    index: "Index"
    read_at: datetime | None = None
    backfilled_at: datetime | None = None
    stored: str | None = None
    through: datetime | None = None
    refused: int | None = None
    erased_at: datetime | None = None


class Indexes:
    """Forgets the least recently used scopes if all together take more than ``limit`` bytes, but never the last one.

    Thread-safe: of two threads that keep the same scope the later one wins, and the other one's changes are read again.
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
        """The scope's index with all changes in the table. Raises Unavailable if a store does not answer.

        A new segment, if it is time for one, is written on leaving, when the result is ready: a failure can only delay
        it.
        """
        model = self._embedder.model
        cached = self.cached(scope)
        if cached is None or cached.index.model != model:
            cached = self._load(scope)
        now = self._now()
        oldest = now - min(self._retention, ERASURE_KEPT) + OVERLAP
        if cached.read_at and not oldest < cached.read_at < now + _AHEAD:
            # Since then the table may have purged tombstones, so the index may have traces that are dead. If it lies in
            # the future, it is wrong, and the index may lack traces.
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

    def correct(self, scope: Scope, ids: Sequence[str], current: Mapping[str, Trace]) -> None:
        """Replace the traces with these ids, which the table has at another version or not at all, by ``current``."""
        if cached := self.cached(scope):
            self.keep(scope, replace(cached, index=cached.index.without(ids).fold(list(current.values()))))

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
        """The index of the segment, or an empty one if there is no usable segment."""
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
        """Fold in all later changes; also how many would not be read again if a segment were written ``now``.

        If there are too many for the time left, the next call continues from there.
        """
        settled = 0
        changes: Iterator[Trace] = iter(self._traces.changes(scope, cached.through and cached.through - OVERLAP))
        try:
            while batch := list(islice(changes, _BATCH)):
                erased_at = max((one.changed_at for one in batch if one.status is Status.ERASED), default=None)
                if erased_at and erased_at != cached.erased_at:
                    cached = replace(cached, erased_at=erased_at)
                    if cached.through:  # what it has may be from before: read what there is
                        empty = cached.index.empty(cached.index.model)
                        return self._fold_changes(scope, replace(cached, index=empty, through=None), now)
                cached = replace(cached, index=cached.index.fold(batch), through=min(batch[-1].changed_at, now))
                settled += sum(trace.changed_at < now - OVERLAP for trace in batch)
        except Unavailable:
            self.keep(scope, cached)
            raise
        return cached, settled

    def _compact_and_save(self, scope: Scope, cached: CachedIndex, now: datetime) -> None:
        """Compact the index, and save it as the segment.

        If the store does not take it, the old segment stays: no search fails because its index cannot be saved.
        """
        from memtools.freshness.segment import Segment

        cached = replace(cached, index=cached.index.compacted(now))
        assert cached.read_at is not None
        try:
            data = Segment(cached.index.base, cached.read_at).to_bytes()
            cached = replace(cached, stored=self._segments.save(scope, data, cached.stored))
            increment(Metric.SEGMENT_WRITTEN)
        except ToolError:
            increment(Metric.SEGMENT_UNWRITTEN)
        except ConditionFailed:  # another segment was written meanwhile: the next call reads that one
            self.drop(scope)
            return
        self.keep(scope, cached)


def _should_compact(cached: CachedIndex, settled: int, filled: int) -> bool:
    """Whether it is time for a new segment, because of changes or of vectors that were filled in."""
    changes = max(cached.index.changes, settled)
    few_filled = min(FEW, len(cached.index) // SHARE)
    return changes > max(FEW, len(cached.index.base) // SHARE) or filled > few_filled
