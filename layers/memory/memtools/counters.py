"""What happens on the way of a call that its reply does not tell: counted for the log and the metrics."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum


class Metric(StrEnum):
    """The names under which it is counted."""

    COLD_START = "cold_start"
    EMBEDDING_FAILED = "embedding_failed"  # the model gave no vector for what a call asked for, or for older traces
    HITS = "hits"  # memories that a search returned
    SEGMENT_WRITTEN = "segment_written"
    SEGMENT_UNWRITTEN = "segment_unwritten"  # it was time, and S3 did not take it
    SEGMENT_UNUSABLE = "segment_unusable"  # one was there: damaged, or made for another model


_counts: ContextVar[Counter[str] | None] = ContextVar("counts", default=None)


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """What is counted inside, by name."""
    counts: Counter[str] = Counter()
    token = _counts.set(counts)
    try:
        yield counts
    finally:
        _counts.reset(token)


def increment(what: Metric, by: int = 1) -> None:
    """Count it for the call that is served; outside of a call nobody counts."""
    counts = _counts.get()
    if counts is not None:
        counts[what] += by
