"""When the client sends a call again: one policy for all connections, and one for files that others write too.

A call that is sent again is safe: all its attempts have one idempotency key, so it has one effect.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar

from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from memtools_client.errors import Unavailable

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a call is retried. Times are in seconds.

    A call has at most ``attempts`` attempts, the first one included; none begins later than ``seconds`` after the
    first. Before each retry the client waits as long as the service asked (Retry-After), plus a random time between 0
    and ``first_pause``. This upper limit doubles with each attempt, up to ``longest_pause``.

    A call that cannot be retried within these bounds raises its last error at once. ``Retries(attempts=1)`` never
    retries.
    """

    attempts: int = 4
    seconds: float = 60.0
    first_pause: float = 0.2
    longest_pause: float = 3.0

    attempts_in_tests: ClassVar[int | None] = None
    """The switch for tests: where set, no call in this process pauses or has more attempts than this."""

    def run(self, attempt: Callable[[], Result], on: type[Exception] = Unavailable) -> Result:
        """The result of ``attempt``, called again while it raises ``on``; then its last error."""
        start, failures = time.monotonic(), 0
        while True:
            try:
                return attempt()
            except on as error:
                failures += 1
                time.sleep(self._pause(error, failures, time.monotonic() - start))

    async def run_async(self, attempt: Callable[[], Awaitable[Result]], on: type[Exception] = Unavailable) -> Result:
        """The same for asyncio."""
        start, failures = time.monotonic(), 0
        while True:
            try:
                return await attempt()
            except on as error:
                failures += 1
                await asyncio.sleep(self._pause(error, failures, time.monotonic() - start))

    def _pause(self, error: Exception, failures: int, elapsed: float) -> float:
        """How long to wait before the next attempt; raises the error where there is none."""
        if failures >= min(self.attempts, self.attempts_in_tests or self.attempts):
            raise error
        if self.attempts_in_tests:
            return 0.0
        asked = error.wait if isinstance(error, Unavailable) else 0.0
        pause = asked + random.uniform(0, min(self.longest_pause, self.first_pause * 2 ** (failures - 1)))  # noqa: S311 - no secret
        if elapsed + pause > self.seconds:
            raise error
        return pause


CALLS: Final = Retries()
"""For calls of tools, unless the application gives its own."""

RACES: Final = Retries(attempts=12, seconds=30.0, first_pause=0.02, longest_pause=0.4)
"""For an edit of a file that somebody else changed meanwhile."""


def seconds_of(retry_after: str | None) -> float:
    """How long a Retry-After header asks to wait; it holds seconds or a date. 0 where it is missing or malformed."""
    try:
        return float(Retry().parse_retry_after(retry_after or "0"))
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0
