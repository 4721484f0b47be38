"""All errors of the tools, the same for every caller.

Each message is written for a model: what was wrong, and what to do next. ``details`` is for programs.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar


class ToolError(Exception):
    """A call that was refused or that failed. Raise one of the subclasses.

    ``status`` is the HTTP status. ``retryable`` says whether the same call may succeed later.
    """

    code: ClassVar[str]
    status: ClassVar[HTTPStatus]
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
    """The arguments are invalid; the message names each one and says what is allowed."""

    code = "invalid_arguments"
    status = HTTPStatus.BAD_REQUEST


class Unscoped(ToolError):
    """The caller's infrastructure did not name an agent and a user."""

    code = "unscoped"
    status = HTTPStatus.FORBIDDEN


class NotFound(ToolError):
    """Nothing in the caller's scope has this id or this text, or the tool does not exist."""

    code = "not_found"
    status = HTTPStatus.NOT_FOUND


class Ambiguous(ToolError):
    """The text of an edit occurs more than once."""

    code = "ambiguous"
    status = HTTPStatus.CONFLICT


class Conflict(ToolError):
    """The memory or document is not, or no longer, in the state that the call expects."""

    code = "conflict"
    status = HTTPStatus.CONFLICT


class TooLarge(ToolError):
    """A fact, a call, a document or a reply exceeds its limit. Nothing was truncated or written."""

    code = "too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class Fault(ToolError):
    """A store refused the call for good, or memtools has a bug. Only an operator can mend it."""

    code = "fault"
    status = HTTPStatus.INTERNAL_SERVER_ERROR


class Unavailable(ToolError):
    """A store did not answer in time. This is the only error after which the same call can be sent again unchanged."""

    code = "unavailable"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    retryable = True


class Uncertain(Unavailable):
    """A store did not answer in time. The change may have been stored, and the call sent again would make another."""

    retryable = False
