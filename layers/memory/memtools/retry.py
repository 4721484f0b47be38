"""The one place that says how often, and for how long, anything is tried again."""

import random
import time
from collections.abc import Iterator

from memtools.current_call import SECONDS, deadline

# Thirty-two writers of one document, each attempt won by one of them, get through well within these.
ATTEMPTS = 64
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.4


def attempts() -> Iterator[int]:
    """Numbers of attempts, at once for the first, then after a pause with full jitter, until the bounds are reached.

    Full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    end = min(deadline(), time.monotonic() + SECONDS)
    yield 0
    for number in range(1, ATTEMPTS):
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (number - 1)))  # noqa: S311 - no secret
        if time.monotonic() + pause > end:
            return
        time.sleep(pause)
        yield number
