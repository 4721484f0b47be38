"""Faults, put between botocore and the store: its own retries meet them as they would in the wild."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

# What is done with one request in the place of sending it: a response, or an exception.
Act = Callable[[AWSPreparedRequest], AWSResponse]


class Killed(BaseException):
    """The process ended here."""


@dataclass(frozen=True)
class Fault:
    """A fault: what happens to a request, and whether to all that follow (botocore's retries) as well.

    ``told`` is for what no second try gets over: how the call has to fail, at once.
    """

    name: str
    act: Act
    always: bool
    operations: frozenset[str] | None = None
    told: frozenset[str] = frozenset()

    def concerns(self, operation: str) -> bool:
        return self.operations is None or operation in self.operations


@dataclass
class Tap:
    """Sits on clients: records their calls, and lets a fault happen to one of them."""

    calls: list[str] = field(default_factory=list)
    rival: Callable[[], Any] | None = None
    fault: Fault | None = None
    at: int = -1
    happened: int = 0

    def reset(self, rival: Callable[[], Any]) -> None:
        """Be as new, for another run on the same clients."""
        self.calls, self.rival, self.fault, self.at, self.happened = [], rival, None, -1, 0

    def listen(self, *clients: Any) -> None:
        for client in clients:
            client.meta.events.register("before-call", self._note)
            client.meta.events.register("before-send", self._meet)

    def _note(self, model: Any, params: Any, **_: Any) -> None:
        self.calls.append(model.name)
        params["context"] |= {"tap": len(self.calls) - 1, "tap_rival": self.rival}

    def _meet(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        number = request.context["tap"]  # type: ignore[attr-defined]
        if self.fault is None or number < self.at or (number > self.at and not self.fault.always):
            return None
        if (self.happened and not self.fault.always) or not self.fault.concerns(self.calls[number]):
            return None
        self.happened += 1
        return self.fault.act(request)


@contextmanager
def without_pauses() -> Iterator[None]:
    """Retries at once: the pauses of botocore and of ours are skipped, their number is not."""
    import botocore.endpoint
    import memtools.retry

    class Hasty:
        def __getattr__(self, name: str) -> Any:
            import time

            return (lambda _: None) if name == "sleep" else getattr(time, name)

    before = botocore.endpoint.time, memtools.retry.time  # type: ignore[attr-defined]
    botocore.endpoint.time = memtools.retry.time = Hasty()  # type: ignore[assignment, attr-defined]
    try:
        yield
    finally:
        botocore.endpoint.time, memtools.retry.time = before  # type: ignore[attr-defined]
