"""The call that is running: when it has to end, and what is counted on its way for the log and the metrics.

Both follow the call into other threads with its context.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from math import inf

# A function has 29 seconds, and a call to a store that hangs takes up to 15 (see adapters/aws.py). So no such call
# starts later than this: then even the last one ends in time to be reported.
SECONDS = 13.0


class Metric(StrEnum):
    """What is counted, under its name in the log and in CloudWatch."""

    COLD_START = "cold_start"
    EMBEDDING_FAILED = "embedding_failed"  # the model gave no vector for what a call asked for, or for older traces
    SEGMENT_WRITTEN = "segment_written"
    SEGMENT_UNWRITTEN = "segment_unwritten"  # it was time, and S3 did not take it
    SEGMENT_UNUSABLE = "segment_unusable"  # one was there: damaged, or made for another model


_end: ContextVar[float] = ContextVar("end", default=inf)
_counts: ContextVar[Counter[str] | None] = ContextVar("counts", default=None)


@contextmanager
def running_call() -> Iterator[Counter[str]]:
    """Inside, no store call starts after SECONDS; yields what is counted inside, by name."""
    counts: Counter[str] = Counter()
    end, counted = _end.set(time.monotonic() + SECONDS), _counts.set(counts)
    try:
        yield counts
    finally:
        _end.reset(end)
        _counts.reset(counted)


def deadline() -> float:
    """When the call has to have started its last store call, by ``time.monotonic``; never, outside of a call."""
    return _end.get()


def out_of_time() -> bool:
    """Whether it is too late to start anything."""
    return time.monotonic() > _end.get()


def increment(metric: Metric) -> None:
    """Count it for the running call; outside of a call nobody counts."""
    counts = _counts.get()
    if counts is not None:
        counts[metric] += 1
