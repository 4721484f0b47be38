"""A scope's index with every change in it that was made before the call began, and the segment kept of it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from memtools.counters import Metric, increment
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Unavailable
from memtools.freshness.cache import CachedIndex
from memtools.freshness.segment import Segment, Unusable, intact
from memtools.ports import ConditionFailed
from memtools.ranking.index import Index
from memtools.tools.backend import Backend

# Clocks differ, and a write takes a while to land: changes are read again from this long before they were last read.
OVERLAP = timedelta(minutes=3)
# A segment is written anew when the changes beside it are more than FEW and more than the SHARE-th part of it; one to
# what it holds counts twice, for the row it kills and the row it brings. So a scope that grows to n traces writes at
# most (SHARE + 1) * n rows in all. A cold search reads no more changes than that, and those of the last OVERLAP before
# the segment was written, which it holds as well. Where these are many (a bulk load that was searched at once), the
# segment is written once more when they are old enough: 2 * (SHARE + 1) * n rows at most.
FEW = 256
SHARE = 8
# Traces without a vector are a reason of their own. But a model that is out must not slow down every search.
_PAUSE = timedelta(minutes=1)
_BUDGET = timedelta(seconds=2)
_TEXTS = 16  # embedded at once, between two looks at the clock
_CHANGES = 10_000  # folded in at once: what was read of a scope too large to be read in one call is not lost


@contextmanager
def fresh_index(backend: Backend, scope: Scope) -> Iterator[Index]:
    """The index as the table has it. Raises Unavailable where the table or the segments are out.

    A segment is written on leaving, where it is time for one: the answer is made by then, and waits at worst.
    """
    now = backend.clock.now()
    known = backend.recent.get(scope)
    if known is None or known.index.model != backend.model:
        known = _load(backend, scope)
    if known.read_at and known.read_at <= now - backend.retention + OVERLAP:
        # Tombstones of what was deleted since may have been purged: what the index holds could be dead.
        known = replace(known, index=Index.empty(backend.model), read_at=None, through=None)
    known, settled = _fold_changes(backend, scope, replace(known, read_at=known.read_at or now), now)
    known, filled = _backfill(backend, scope, replace(known, read_at=now, through=now), now)
    backend.recent.put(scope, known)
    yield known.index
    if _should_compact(known, settled, filled):
        _keep(backend, scope, backend.recent.get(scope) or known, now)


def forget(backend: Backend, scope: Scope, ids: Sequence[str]) -> None:
    """Leave out of the index what the table does not hold as the index says; a change to come tells what became of it.

    So a scope that was erased elsewhere costs no search twice.
    """
    if known := backend.recent.get(scope):
        backend.recent.put(scope, replace(known, index=known.index.without(ids)))


def _load(backend: Backend, scope: Scope) -> CachedIndex:
    """What the segment says, or nothing yet where there is none to be trusted."""
    nothing = CachedIndex(Index.empty(backend.model))
    stored = backend.segments.load(scope)
    if stored is None:
        return nothing
    try:
        segment = Segment.of_bytes(stored.data, backend.model) if intact(stored.data) else None
    except Unusable:
        segment = None
    if segment is None:
        increment(Metric.SEGMENT_UNUSABLE)
        return replace(nothing, stored=stored.tag)
    return CachedIndex(Index(segment.columns), segment.read_at, segment.read_at, stored.tag, segment.read_at)


def _fold_changes(backend: Backend, scope: Scope, known: CachedIndex, now: datetime) -> tuple[CachedIndex, int]:
    """With the changes since; and how many of them need not be read again beside a segment that is written ``now``.

    Where they are too many for the time there is, the next call goes on from there.
    """
    settled = 0
    changes = iter(backend.traces.changes(scope, known.through and known.through - OVERLAP))
    try:
        while batch := list(islice(changes, _CHANGES)):
            known = replace(known, index=known.index.fold(batch), through=batch[-1].changed_at)
            settled += sum(trace.changed_at < now - OVERLAP for trace in batch)
    except Unavailable:
        backend.recent.put(scope, known)
        raise
    return known, settled


def _should_compact(known: CachedIndex, settled: int, filled: int) -> bool:
    """Whether so much stands beside the base that it is time for another segment."""
    beside = max(known.index.changes, settled)
    few_filled = min(FEW, len(known.index) // SHARE)
    return beside > max(FEW, len(known.index.base) // SHARE) or filled > few_filled


def _keep(backend: Backend, scope: Scope, known: CachedIndex, now: datetime) -> None:
    """Put all in one part, in memory and in a segment."""
    known = replace(known, index=known.index.compacted(now))
    try:
        backend.recent.put(scope, replace(known, stored=_saved(backend, scope, known)))
    except ConditionFailed:  # another one stands there: the next call reads that
        backend.recent.drop(scope)


def _backfill(backend: Backend, scope: Scope, known: CachedIndex, now: datetime) -> tuple[CachedIndex, int]:
    """With vectors for traces that have none, if it is time to make some; and how many were made."""
    rested = known.tried_at is None or known.tried_at <= now - _PAUSE
    if not rested or backend.embedder is None or len(known.index.unembedded) == 0:
        return known, 0
    traces, refused = _embedded(backend, scope, known)
    index = known.index.replaced(traces) if traces else known.index
    return replace(known, index=index, tried_at=now, refused=refused), len(traces)


def _embedded(backend: Backend, scope: Scope, known: CachedIndex) -> tuple[list[Trace], int | None]:
    """Traces that had no embedding of the model, with one, as many as the budget allows; and ``refused``."""
    end = backend.clock.now() + _BUDGET
    traces: list[Trace] = []
    batches = _batches(known.index.unembedded.tolist(), known.refused)
    while backend.clock.now() < end and (places := next(batches, None)):
        expected = dict(map(known.index.identity, places))
        try:
            found = backend.traces.get(scope, list(expected))
        except Unavailable:
            return traces, known.refused
        standing = [trace for trace in found.values() if trace.live and trace.version == expected[trace.id]]
        embeddings = backend.embed([trace.content for trace in standing])
        if None in embeddings:
            return traces, places[0] if len(places) == 1 else places[0] - 1
        traces += [replace(trace, embedding=one) for trace, one in zip(standing, embeddings, strict=True)]
    return traces, None


def _batches(places: list[int], refused: int | None) -> Iterator[list[int]]:
    """The places to embed at once.

    A text may be one that the model always refuses. So where it failed before, they go on from there one by one, and
    come to that text again last: it keeps no other without a vector.
    """
    start = 0 if refused is None else bisect_right(places, refused)
    order = iter(places[start:] + places[:start])
    while batch := list(islice(order, _TEXTS if refused is None else 1)):
        yield batch


def _saved(backend: Backend, scope: Scope, known: CachedIndex) -> str | None:
    """Store the index, which is in one part, as the scope's segment; the tag of what then stands there.

    Where the store is out, that is what stood there: no search fails because its index cannot be kept.
    """
    assert known.read_at is not None
    data = Segment(known.index.base, known.read_at).to_bytes()
    try:
        tag = backend.segments.save(scope, data, known.stored)
    except Unavailable:
        increment(Metric.SEGMENT_UNWRITTEN)
        return known.stored
    increment(Metric.SEGMENT_WRITTEN)
    return tag
