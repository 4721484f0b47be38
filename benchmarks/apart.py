"""Time that a call spends in something it was given, told apart from the rest of the call."""

import time
from collections.abc import Callable, Iterator
from typing import Any


class Apart:
    """Stands in for an object: ``seconds`` adds up the time inside its methods, an iterator's while it is consumed.

    What the object calls on itself counts once. For one thread.
    """

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._wrapped, name)
        return self._timed(attribute) if callable(attribute) else attribute

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            result = self._spent_in(lambda: method(*arguments, **named))
            return self._consumed(result) if isinstance(result, Iterator) else result

        return call

    def _consumed(self, items: Iterator[Any]) -> Iterator[Any]:
        """The same items; between two of them the time is the consumer's."""
        end = object()
        while (item := self._spent_in(lambda: next(items, end))) is not end:
            yield item

    def _spent_in(self, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds += time.perf_counter() - start
