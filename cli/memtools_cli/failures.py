"""What can go wrong: a line for people, a word for programs, and an exit code, which each class has."""

from collections.abc import Mapping
from typing import Any, Final

from memtools.errors import ToolError


class Failure(Exception):
    """A command that did not do what it was asked. ``code`` is a tool's error code, or the class's own word.

    docs/command-line.md explains the exit codes.
    """

    exit_code: int = 70
    code: str = "fault"

    def __init__(self, message: str, code: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.details = dict(details or {})

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}


class Refused(Failure):
    """The command makes sense, but cannot be done. Running it again changes nothing."""

    exit_code = 1
    code = "refused"


class BadUsage(Failure):
    """The arguments or a file make no sense."""

    exit_code = 2
    code = "usage"


class Interrupted(Failure):
    """A signal ended the command."""

    code = "interrupted"

    def __init__(self, number: int) -> None:
        super().__init__("Stopped. Run the same command again: it continues from here.")
        self.exit_code = 128 + number


class Unavailable(Failure):
    """No answer. Every command may be run again as it is."""

    exit_code = 3
    code = "unavailable"


class Forbidden(Failure):
    """The caller is unknown, or may not do this."""

    exit_code = 4
    code = "forbidden"


# Anything else is a fault of memtools.
EXPECTED: Final = (Failure, ToolError)


def failure_of(error: Exception) -> Failure:
    """The failure that an error means for a command."""
    match error:
        case Failure():
            return error
        case ToolError():
            return tool_failure(error.code, error.message, error.details)
        case _:
            return Failure(f"A fault of memtools itself ({type(error).__name__}); MEMTOOLS_DEBUG=1 shows where.")


def tool_failure(code: str, message: str, details: Mapping[str, Any]) -> Failure:
    """The failure for an error of a tool, which keeps its code."""
    match code:
        case "invalid_arguments":
            return BadUsage(message, code, details)
        case "unscoped":
            return Forbidden(message, code, details)
        case "unavailable":
            return Unavailable(message, code, details)
        case "fault":
            return Failure(message, code, details)
        case _:
            return Refused(message, code, details)
