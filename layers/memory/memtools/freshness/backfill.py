"""Makes vectors for traces that were written while the model was not available, or with another model."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Unavailable
from memtools.freshness.cache import CachedIndex

# A model that is not available must not slow down every search, so a try has a budget, and a pause follows it.
_PAUSE = timedelta(minutes=1)
_BUDGET = timedelta(seconds=2)
_TEXTS = 16  # embedded in one call, between two looks at the clock


def backfill(backend: Backend, scope: Scope, cached: CachedIndex, now: datetime) -> tuple[CachedIndex, int]:
    """Embed traces without a vector, if it is time to try; the index with the new vectors, and their number."""
    is_time = cached.backfilled_at is None or cached.backfilled_at <= now - _PAUSE
    if not is_time:
        return cached, 0
    traces, refused = _embedded(backend, scope, cached)
    index = cached.index.replaced(traces) if traces else cached.index
    return replace(cached, index=index, backfilled_at=now, refused=refused), len(traces)


def _embedded(backend: Backend, scope: Scope, cached: CachedIndex) -> tuple[list[Trace], int | None]:
    """Traces that had no vector, now with one, as many as the budget allows; and the new value of ``refused``."""
    end = backend.now() + _BUDGET
    traces: list[Trace] = []
    batches = _batches(cached.index.unembedded.tolist(), cached.refused)
    while backend.now() < end and (places := next(batches, None)):
        expected = dict(map(cached.index.identity, places))
        try:
            found = backend.traces.get(scope, list(expected))
        except Unavailable:
            return traces, cached.refused
        current = [trace for trace in found.values() if trace.live and trace.version == expected[trace.id]]
        embeddings = backend.embedder.embed([trace.content for trace in current])
        if None in embeddings:
            return traces, places[0] if len(places) == 1 else places[0] - 1
        traces += [replace(trace, embedding=one) for trace, one in zip(current, embeddings, strict=True)]
    return traces, None


def _batches(places: list[int], refused: int | None) -> Iterator[list[int]]:
    """Yield the places to embed in one call.

    The model may always refuse a certain text. So after a failure, continue behind that text, one by one, and come to
    it last, so that it does not keep other texts from getting a vector.
    """
    start = 0 if refused is None else bisect_right(places, refused)
    order = iter(places[start:] + places[:start])
    while batch := list(islice(order, _TEXTS if refused is None else 1)):
        yield batch
