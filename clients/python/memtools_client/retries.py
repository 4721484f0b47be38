"""How often, and for how long, a call is sent again. It is safe: every tool takes the same call twice as one."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from memtools_client.errors import MemoryToolError, Unavailable

_LONGEST_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Retries:
    """The bounds: up to ``attempts`` in all, none of them begun later than ``seconds`` after the first.

    Pauses are drawn from 0 to ``first_pause``, and to twice as much each time, up to ``longest_pause`` (full jitter).
    """

    attempts: int = 4
    seconds: float = 60.0
    first_pause: float = 0.2
    longest_pause: float = 3.0

    def begin(self) -> "Attempts":
        """The attempts of one call."""
        return Attempts(self)


class Attempts:
    """The attempts of one call, as far as they have been made."""

    def __init__(self, retries: Retries) -> None:
        self._pauses = _pauses(retries)
        self._end = time.monotonic() + retries.seconds

    def pause_after(self, error: MemoryToolError) -> float:
        """How long to wait before sending the call again; raises the error where it should not be sent again."""
        pause = next(self._pauses, None)
        if not error.retryable or pause is None:
            raise error
        asked = min(error.wait, _LONGEST_WAIT) if isinstance(error, Unavailable) else 0.0
        if time.monotonic() + asked + pause > self._end:
            raise error
        return asked + pause


def _pauses(retries: Retries) -> Iterator[float]:
    for number in range(retries.attempts - 1):
        yield random.uniform(0, min(retries.longest_pause, retries.first_pause * 2**number))  # noqa: S311 - no secret
