"""Counts events that a call's reply does not show, for the log and the metrics."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum


class Metric(StrEnum):
    """The names of the counters."""

    COLD_START = "cold_start"
    EMBEDDING_FAILED = "embedding_failed"  # the model returned no vectors, for a call or for a back-fill
    HITS = "hits"  # memories that a search returned
    SEGMENT_WRITTEN = "segment_written"
    SEGMENT_UNWRITTEN = "segment_unwritten"  # a segment was due, but S3 did not store it
    SEGMENT_UNUSABLE = "segment_unusable"  # it was damaged, or made for another model


_counts: ContextVar[Counter[str] | None] = ContextVar("counts", default=None)


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Count events inside this context; yields the counts by name."""
    counts: Counter[str] = Counter()
    token = _counts.set(counts)
    try:
        yield counts
    finally:
        _counts.reset(token)


def increment(what: Metric, by: int = 1) -> None:
    """Increment a counter of the current call. Does nothing outside of a call."""
    counts = _counts.get()
    if counts is not None:
        counts[what] += by
