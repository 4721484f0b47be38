"""What every envelope is decoded to, and what it is given to encode."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError

Event = Mapping[str, Any]
Outcome = Mapping[str, Any] | ToolError


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``arguments`` as the caller gave them, ``scope`` as its infrastructure vouches for."""

    tool: str
    arguments: Any
    scope: Scope


class Transport(Protocol):
    """An envelope. Each module of this package is one. ``context`` is Lambda's."""

    def accepts(self, event: Event, context: Any = None) -> bool:
        """Whether the event is of this envelope."""
        ...

    def decode(self, event: Event, default_agent: str, context: Any = None) -> Call:
        """The call in the event. Raises ToolError; ``default_agent`` is the agent of callers who cannot name one."""
        ...

    def encode(self, event: Event, outcome: Outcome) -> dict[str, Any]:
        """The envelope's reply."""
        ...


def object_of(value: Any) -> dict[str, Any]:
    """``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def printable(name: Any) -> str:
    """A caller's name for something as text that can be sent back: half of a surrogate pair cannot."""
    return str(name).encode(errors="replace").decode()


def parse_json(text: str | bytes) -> Any:
    """``text`` as JSON. Raises InvalidArguments."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidArguments("The body is not valid JSON. Send the arguments as one JSON object.") from None
