"""The service's errors, a class for each code. Each message is written for a model: show it as it is."""

from collections.abc import Mapping
from typing import Any, ClassVar


class MemoryToolError(Exception):
    """A call that failed. ``message`` is for a model, ``details`` is for programs."""

    code: ClassVar[str]
    """The error's name on the wire."""
    retryable: ClassVar[bool] = False
    """Whether the same call may succeed later."""
    from_tool: bool = False
    """Whether a tool answered. False where the client refused the call, or API Gateway, Lambda or a proxy did."""

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details or {}

    def as_dict(self) -> dict[str, Any]:
        """What to show a model as the tool's error: code, message and details, ready for JSON."""
        return {"code": self.code, "message": self.message, "details": dict(self.details)}


class InvalidArguments(MemoryToolError):
    """The arguments do not fit the tool; the message names each one and what it may be."""

    code = "invalid_arguments"


class Unscoped(MemoryToolError):
    """The call does not say, or cannot prove, whose memory it is about. Only the application can fix this."""

    code = "unscoped"


class NotFound(MemoryToolError):
    """No such trace, text or tool in this scope; ``details`` has what there is."""

    code = "not_found"


class Ambiguous(MemoryToolError):
    """The text to edit occurs several times; ``details`` has the occurrences."""

    code = "ambiguous"


class Conflict(MemoryToolError):
    """What the call would change has changed meanwhile; ``details`` has its current state."""

    code = "conflict"


class TooLarge(MemoryToolError):
    """The call exceeds a limit, and nothing was written. ``details`` has the size and the limit."""

    code = "too_large"


class Fault(MemoryToolError):
    """The service failed for a reason that its operator must mend. Sending the call again does not help."""

    code = "fault"


class Unavailable(MemoryToolError):
    """No answer in time, although the client has retried the call. It may have taken effect.

    ``wait`` is how many seconds the service asked to wait first, 0 where it did not say.
    """

    code = "unavailable"
    retryable = True

    def __init__(self, message: str, details: Mapping[str, Any] | None = None, *, wait: float = 0.0) -> None:
        super().__init__(message, details)
        self.wait = wait


_BY_CODE: dict[str, type[MemoryToolError]] = {
    kind.code: kind
    for kind in (InvalidArguments, Unscoped, NotFound, Ambiguous, Conflict, TooLarge, Fault, Unavailable)
}


def error_of(code: str, message: str, details: Mapping[str, Any] | None = None) -> MemoryToolError:
    """The error that a tool answered with.

    A code that this client does not know is ``InvalidArguments``, which is not retried.
    """
    error = _BY_CODE.get(code, InvalidArguments)(message, details)
    error.from_tool = True
    return error
