"""Makes vectors for traces that were written while the model was not available, or with another model."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Unavailable
from memtools.freshness.indexes import CachedIndex
from memtools.ports import Embedder, TraceStore

# A model that is not available must not slow down every search, so a try has a budget, and a pause follows it.
_PAUSE = timedelta(minutes=1)
_BUDGET = timedelta(seconds=2)
_TEXTS = 16  # embedded in one call, between two looks at the clock


def backfill(
    cached: CachedIndex, scope: Scope, store: TraceStore, embedder: Embedder, now: Callable[[], datetime]
) -> tuple[CachedIndex, int]:
    """Embed traces without a vector, if it is time to try; the index with the new vectors, and their number."""
    start = now()
    if cached.backfilled_at is not None and cached.backfilled_at > start - _PAUSE:
        return cached, 0
    traces: list[Trace] = []
    refused = None
    batches = _batches(cached.index.unembedded.tolist(), cached.refused)
    while now() < start + _BUDGET and (places := next(batches, None)):
        expected = dict(map(cached.index.identity, places))
        try:
            found = store.get(scope, list(expected))
        except Unavailable:
            refused = cached.refused
            break
        current = [trace for trace in found.values() if trace.live and trace.version == expected[trace.id]]
        embeddings = embedder.embed([trace.content for trace in current])
        if None in embeddings:
            refused = places[0] if len(places) == 1 else places[0] - 1
            break
        traces += [replace(trace, embedding=one) for trace, one in zip(current, embeddings, strict=True)]
    index = cached.index.replaced(traces) if traces else cached.index
    return replace(cached, index=index, backfilled_at=start, refused=refused), len(traces)


def _batches(places: list[int], refused: int | None) -> Iterator[list[int]]:
    """Yield the places to embed in one call.

    The model may always refuse a certain text. So after a failure, continue behind that text, one by one, and come to
    it last, so that it does not keep other texts from getting a vector.
    """
    start = 0 if refused is None else bisect_right(places, refused)
    order = iter(places[start:] + places[:start])
    while batch := list(islice(order, _TEXTS if refused is None else 1)):
        yield batch
