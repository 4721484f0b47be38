"""How often, and for how long, anything is retried."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

# Enough for 32 concurrent writers of one document, one of whom succeeds in each round.
ATTEMPTS = 64
# A function has 29 seconds, and a call to a store that hangs takes up to 15 (see adapters/aws.py). Nothing new starts
# after this time, so that whatever has started ends early enough for a reply.
SECONDS = 13.0
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.4

_end: ContextVar[float] = ContextVar("end", default=inf)


@contextmanager
def time_limit() -> Iterator[None]:
    """Inside this context, nothing new starts after SECONDS."""
    token = _end.set(time.monotonic() + SECONDS)
    try:
        yield
    finally:
        _end.reset(token)


def out_of_time() -> bool:
    """Whether it is too late to start anything."""
    return time.monotonic() > _end.get()


def attempts() -> Iterator[int]:
    """Yield the numbers of attempts, each after a pause except the first, until a limit is reached.

    The pauses have full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    end = min(_end.get(), time.monotonic() + SECONDS)
    yield 0
    for number in range(1, ATTEMPTS):
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (number - 1)))  # noqa: S311 - no secret
        if time.monotonic() + pause > end:
            return
        time.sleep(pause)
        yield number
