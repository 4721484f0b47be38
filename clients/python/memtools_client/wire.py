"""What goes over the wire, whichever way: a tool, its arguments, and whose memory it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Protocol

Moment = datetime | date | str
"""A date or a time; text is ISO 8601. A datetime without zone is UTC."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: the application's word, never a model's. Without ``agent`` it is the deployment's own."""

    user: str | None = None
    agent: str | None = None


class Transport(Protocol):
    """A way to the service."""

    scoped: bool
    """Whether calls name whose memory they are about; with a token, the token does."""

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope) -> Mapping[str, Any]:
        """The tool's reply, as JSON; raises a MemoryToolError. One attempt."""
        ...


def sendable(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as JSON holds them; what is None is left out."""
    return {name: _plain(value) for name, value in arguments.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return value
