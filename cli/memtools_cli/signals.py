"""Signals that end a command."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, Final

# Not every system has SIGHUP.
_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(BaseException):
    """A signal that asks the process to end. No KeyboardInterrupt, which typer ends without a word."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stop(number: int, _: Any) -> None:
    """Raise Stopped, once. What ends then is not disturbed by the next signal: `make` sends two to what it runs."""
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)
    raise Stopped(number)


@contextmanager
def raised() -> Iterator[None]:
    """Within, a signal raises Stopped. A signal that the caller ignores, as nohup does, stays ignored."""
    if current_thread() is not main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in _ENDING}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(one, _stop)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
