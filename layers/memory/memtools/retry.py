"""How often, and for how long, anything is retried."""

import random
import time
from collections.abc import Iterator

from memtools.current_call import SECONDS, deadline

# Enough for 32 concurrent writers of one document, one of whom succeeds in each round.
ATTEMPTS = 64
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.4


def attempts() -> Iterator[int]:
    """Yield the numbers of attempts, each after a pause except the first, until a limit is reached.

    The pauses have full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """
    end = min(deadline(), time.monotonic() + SECONDS)
    yield 0
    for number in range(1, ATTEMPTS):
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (number - 1)))  # noqa: S311 - no secret
        if time.monotonic() + pause > end:
            return
        time.sleep(pause)
        yield number
