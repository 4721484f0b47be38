"""The one place that says how often, and for how long, anything is tried again."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

# Thirty-two writers of one document, each attempt won by one of them, get through well within these.
ATTEMPTS = 64
# A function has 29 seconds, and a call to a store that hangs takes up to 15 (see adapters/aws.py). So nothing is begun
# later than this: what is begun then still ends in time to be told.
SECONDS = 13.0
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.4

_end: ContextVar[float] = ContextVar("end", default=inf)


@contextmanager
def time_limit() -> Iterator[None]:
    """Inside, nothing new is begun after SECONDS."""
    token = _end.set(time.monotonic() + SECONDS)
    try:
        yield
    finally:
        _end.reset(token)


def out_of_time() -> bool:
    """Whether it is too late to begin anything."""
    return time.monotonic() > _end.get()


def attempts() -> Iterator[int]:
    """Numbers of attempts, at once for the first, then after a pause with full jitter, until the bounds are reached.

    Full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    end = min(_end.get(), time.monotonic() + SECONDS)
    yield 0
    for number in range(1, ATTEMPTS):
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (number - 1)))  # noqa: S311 - no secret
        if time.monotonic() + pause > end:
            return
        time.sleep(pause)
        yield number
