"""The one error vocabulary, the same for every caller.

Each message is written for the model that reads it: what was wrong, and what to do next. ``details`` is for programs.
"""

from collections.abc import Mapping
from typing import Any, ClassVar


class ToolError(Exception):
    """A call that was refused or could not be carried out. Raise one of the subclasses."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details

    def as_dict(self) -> dict[str, Any]:
        """The error as callers see it, JSON-ready."""
        return {
            "code": self.code,
            "message": self.message,
            "details": dict(self.details),
            "retryable": self.retryable,
        }


class InvalidArguments(ToolError):
    """The arguments do not fit the tool; the message names each one and what it may be."""

    code = "invalid_arguments"


class Unscoped(ToolError):
    """The caller's infrastructure did not vouch for an agent and a user."""

    code = "unscoped"


class NotFound(ToolError):
    """Nothing in the caller's scope answers to the id or the text, or the tool does not exist."""

    code = "not_found"


class Ambiguous(ToolError):
    """The text of an edit occurs more than once."""

    code = "ambiguous"


class Conflict(ToolError):
    """What the call would change is not, or no longer, in the state that the call expects."""

    code = "conflict"


class TooLarge(ToolError):
    """A fact, a call or a document is above its limit; nothing was cut, nothing was written."""

    code = "too_large"


class Unavailable(ToolError):
    """A store did not answer in time. The only error after which the same call may be sent again as it is."""

    code = "unavailable"
    retryable = True
