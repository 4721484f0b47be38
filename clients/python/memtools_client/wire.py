"""What goes over the wire on every connection: a tool, its arguments, and whose memory the call is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, Protocol

CONNECT_SECONDS: Final = 3.0
# A function may run for 29 seconds, and API Gateway waits for 30.
READ_SECONDS: Final = 31.0

Moment = datetime | date | str
"""A date or a time; text is ISO 8601. A datetime without a time zone is UTC."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory a call is about. The application sets it, never a model.

    Without ``agent`` the service uses the agent that its deployment is set to.
    """

    user: str | None = None
    agent: str | None = None


class Connection(Protocol):
    """A way to reach the service, over HTTP or Lambda. Any number of threads may use one at the same time."""

    scoped: bool
    """Whether calls carry the scope. False where a token says who the user is."""

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope, key: str) -> Mapping[str, Any]:
        """Call the tool once and return its reply as JSON. Raises MemoryToolError.

        ``key`` is the call's idempotency key: a call that is sent again with the same key has one effect.
        """
        ...


def json_ready(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as JSON can hold them, without those that are None."""
    return {name: _json_value(value) for name, value in arguments.items() if value is not None}


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return value
