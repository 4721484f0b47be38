"""The store's time, so that no clock of ours decides what a search sees.

AWS dates each answer, to the second. Between two answers a clock of this machine counts on, of which only the rate
matters, not what it shows.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from memtools.adapters.aws import Client

# A date lacks the fraction of its second, and an answer takes a while to arrive. So an older date may have been more
# exact, unless it differs by more than this many seconds: then this machine slept, or a clock was set.
_INEXACT = 2.0


def _uptime() -> float:
    """Seconds of a clock that nobody sets, and that goes on while the machine sleeps, if it has one."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class StoreClock:
    """Learns from the answers of all clients that it listens to. Thread-safe.

    Its time is never later than the store's, and usually less than a second earlier. After a pause of the whole
    process it may be as much earlier as the pause took, until the next answer arrives.
    """

    def __init__(self, ask: Callable[[], object]) -> None:
        """``ask`` makes any call to a store. It is called if the time is needed before any answer."""
        self._ask = ask
        self._ahead: float | None = None  # the store's time minus the uptime
        self._lock = threading.Lock()

    def listen(self, *clients: Client) -> None:
        """Learn from each answer to these clients."""
        for client in clients:
            client.meta.events.register("after-call", self._learn)

    def now(self) -> datetime:
        """The store's time. Asks the store if it never answered before: raises what ``ask`` raises."""
        if self._ahead is None:
            self._ask()
        if self._ahead is None:  # an answer without a date is no answer of AWS
            return datetime.now(UTC)
        return datetime.fromtimestamp(_uptime() + self._ahead, UTC)

    def _learn(self, http_response: Any, **_: Any) -> None:
        try:
            date = parsedate_to_datetime(http_response.headers.get("Date", "")).timestamp()
        except (TypeError, ValueError):
            return
        ahead = date - _uptime()
        with self._lock:
            if self._ahead is None or ahead > self._ahead or ahead < self._ahead - _INEXACT:
                self._ahead = ahead
