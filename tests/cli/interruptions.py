"""AWS calls that fail: the n-th one, and all that follow."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.client import BaseClient


class Killed(BaseException):
    """The process ended here."""


class Outage:
    """Counts AWS calls, in whatever client, and ends the process at the n-th: right before it, or right after."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.at: int | None = None
        self.after = False


@contextmanager
def outage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Outage]:
    """Every call in here is counted, and may be the last."""
    state = Outage()
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: BaseClient, operation: str, parameters: Any) -> Any:
        state.calls.append(operation)
        number = len(state.calls) - 1
        if state.at is not None and number >= state.at and not (state.after and number == state.at):
            raise Killed
        answer = plain(client, operation, parameters)
        if number == state.at:
            raise Killed
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", call)
        yield state
