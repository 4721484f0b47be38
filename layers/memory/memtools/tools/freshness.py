"""A scope's index with every change in it that was made before the call began, and the segment kept of it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Unavailable
from memtools.notices import Notice, notice
from memtools.ports import Raced
from memtools.retrieval.cache import Known
from memtools.retrieval.index import Index
from memtools.retrieval.segments import Segment, Unusable, intact
from memtools.tools.memory import Memory

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
def fresh_index(memory: Memory, scope: Scope) -> Iterator[Index]:
    """The index as the table has it. Raises Unavailable where the table or the segments are out.

    A segment is written on leaving, where it is time for one: the answer is made by then, and waits at worst.
    """
    now = memory.clock.now()
    known = memory.recent.get(scope)
    if known is None or known.index.model != memory.model:
        known = _load(memory, scope)
    if known.read_at and known.read_at <= now - memory.retention + OVERLAP:
        # Tombstones of what was deleted since may have been purged: what the index holds could be dead.
        known = replace(known, index=Index.empty(memory.model), read_at=None, through=None)
    known, settled = _caught_up(memory, scope, replace(known, read_at=known.read_at or now), now)
    known, filled = _filled_up(memory, scope, replace(known, read_at=now, through=now), now)
    memory.recent.put(scope, known)
    yield known.index
    if _outgrown(known, settled, filled):
        _keep(memory, scope, memory.recent.get(scope) or known, now)


def forget(memory: Memory, scope: Scope, ids: Sequence[str]) -> None:
    """Leave out of the index what the table does not hold as the index says; a change to come tells what became of it.

    So a scope that was erased elsewhere costs no search twice.
    """
    if known := memory.recent.get(scope):
        memory.recent.put(scope, replace(known, index=known.index.without(ids)))


def _load(memory: Memory, scope: Scope) -> Known:
    """What the segment says, or nothing yet where there is none to be trusted."""
    nothing = Known(Index.empty(memory.model))
    stored = memory.segments.load(scope)
    if stored is None:
        return nothing
    try:
        segment = Segment.of_bytes(stored.data, memory.model) if intact(stored.data) else None
    except Unusable:
        segment = None
    if segment is None:
        notice(Notice.SEGMENT_UNUSABLE)
        return replace(nothing, stored=stored.tag)
    return Known(Index(segment.columns), segment.read_at, segment.read_at, stored.tag, segment.read_at)


def _caught_up(memory: Memory, scope: Scope, known: Known, now: datetime) -> tuple[Known, int]:
    """With the changes since; and how many of them need not be read again beside a segment that is written ``now``.

    Where they are too many for the time there is, the next call goes on from there.
    """
    settled = 0
    changes = iter(memory.traces.changes(scope, known.through and known.through - OVERLAP))
    try:
        while batch := list(islice(changes, _CHANGES)):
            known = replace(known, index=known.index.fold(batch), through=batch[-1].changed_at)
            settled += sum(trace.changed_at < now - OVERLAP for trace in batch)
    except Unavailable:
        memory.recent.put(scope, known)
        raise
    return known, settled


def _outgrown(known: Known, settled: int, filled: int) -> bool:
    """Whether so much stands beside the base that it is time for another segment."""
    beside = max(known.index.changes, settled)
    few_filled = min(FEW, len(known.index) // SHARE)
    return beside > max(FEW, len(known.index.base) // SHARE) or filled > few_filled


def _keep(memory: Memory, scope: Scope, known: Known, now: datetime) -> None:
    """Put all in one part, in memory and in a segment."""
    known = replace(known, index=known.index.compacted(now))
    try:
        memory.recent.put(scope, replace(known, stored=_saved(memory, scope, known)))
    except Raced:  # another one stands there: the next call reads that
        memory.recent.drop(scope)


def _filled_up(memory: Memory, scope: Scope, known: Known, now: datetime) -> tuple[Known, int]:
    """With vectors for traces that have none, if it is time to make some; and how many were made."""
    rested = known.tried_at is None or known.tried_at <= now - _PAUSE
    if not rested or memory.embedder is None or len(known.index.unembedded) == 0:
        return known, 0
    traces, refused = _embedded(memory, scope, known)
    index = known.index.replaced(traces) if traces else known.index
    return replace(known, index=index, tried_at=now, refused=refused), len(traces)


def _embedded(memory: Memory, scope: Scope, known: Known) -> tuple[list[Trace], int | None]:
    """Traces that had no embedding of the model, with one, as many as the budget allows; and ``refused``."""
    end = memory.clock.now() + _BUDGET
    traces: list[Trace] = []
    batches = _batches(known.index.unembedded.tolist(), known.refused)
    while memory.clock.now() < end and (places := next(batches, None)):
        expected = dict(map(known.index.identity, places))
        try:
            found = memory.traces.get(scope, list(expected))
        except Unavailable:
            return traces, known.refused
        standing = [trace for trace in found.values() if trace.live and trace.version == expected[trace.id]]
        embeddings = memory.embed([trace.content for trace in standing])
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


def _saved(memory: Memory, scope: Scope, known: Known) -> str | None:
    """Store the index, which is in one part, as the scope's segment; the tag of what then stands there.

    Where the store is out, that is what stood there: no search fails because its index cannot be kept.
    """
    assert known.read_at is not None
    data = Segment(known.index.base, known.read_at).to_bytes()
    try:
        tag = memory.segments.save(scope, data, known.stored)
    except Unavailable:
        notice(Notice.SEGMENT_UNWRITTEN)
        return known.stored
    notice(Notice.SEGMENT_WRITTEN)
    return tag
