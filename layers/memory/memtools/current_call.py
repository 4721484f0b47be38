"""The running call: its deadline, what it counts for the log and the metrics, and the name of its writes.

All follow the call into other threads with its context.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from math import inf

# A function has 29 seconds, and a call to a store that hangs takes up to 15 (see adapters/aws.py). No call to a store
# starts later than this, so that even the last one ends early enough for a reply.
SECONDS = 13.0


class Metric(StrEnum):
    """The names of the counters, in the log and in CloudWatch."""

    COLD_START = "cold_start"
    EMBEDDING_FAILED = "embedding_failed"  # the model returned no vectors, for a call or for a back-fill
    RETRIEVAL_UNCOUNTED = "retrieval_uncounted"  # a search answered, and the store took no count of its hits
    SEGMENT_WRITTEN = "segment_written"
    SEGMENT_UNWRITTEN = "segment_unwritten"  # a segment was due, but S3 did not store it
    SEGMENT_UNUSABLE = "segment_unusable"  # it was damaged, or made for another model


_end: ContextVar[float] = ContextVar("end", default=inf)
_counts: ContextVar[Counter[str] | None] = ContextVar("counts", default=None)
_write: ContextVar[str | None] = ContextVar("write", default=None)


@contextmanager
def running_call() -> Iterator[Counter[str]]:
    """Inside this context, no call to a store starts after SECONDS. Yields the counts by name."""
    counts: Counter[str] = Counter()
    end, counted = _end.set(time.monotonic() + SECONDS), _counts.set(counts)
    try:
        yield counts
    finally:
        _end.reset(end)
        _counts.reset(counted)


def deadline() -> float:
    """The time after which the call starts no call to a store, by ``time.monotonic``; infinite outside of a call."""
    return _end.get()


def out_of_time() -> bool:
    """Whether it is too late to start anything."""
    return time.monotonic() > _end.get()


@contextmanager
def writing_as(name: str | None) -> Iterator[None]:
    """Inside this context, the call's writes have this name. It comes from its idempotency key; None without a key."""
    token = _write.set(name)
    try:
        yield
    finally:
        _write.reset(token)


def write_name() -> str | None:
    """The name of the call's writes, if it has an idempotency key."""
    return _write.get()


def increment(metric: Metric) -> None:
    """Increment a counter of the running call. Does nothing outside of a call."""
    counts = _counts.get()
    if counts is not None:
        counts[metric] += 1
