"""The service's error vocabulary. Each message is written for the model: hand it over as it is."""

from collections.abc import Mapping
from typing import Any, ClassVar


class MemoryToolError(Exception):
    """A call that was refused or could not be carried out. ``details`` is for programs, the message for models."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details or {}

    def as_dict(self) -> dict[str, Any]:
        """What a model should read, JSON-ready."""
        return {"code": self.code, "message": self.message, "details": dict(self.details)}


class InvalidArguments(MemoryToolError):
    """The arguments do not fit the tool; the message names each one and what it may be."""

    code = "invalid_arguments"


class Unscoped(MemoryToolError):
    """It is not known, or not vouched for, whose memory the call is about. The application has to be mended."""

    code = "unscoped"


class NotFound(MemoryToolError):
    """No such trace, text or tool in this scope; ``details`` has what is there."""

    code = "not_found"


class Ambiguous(MemoryToolError):
    """The text of an edit occurs several times; ``details`` has each place."""

    code = "ambiguous"


class Conflict(MemoryToolError):
    """What the call would change has changed; ``details`` has its current state."""

    code = "conflict"


class TooLarge(MemoryToolError):
    """Above a limit; nothing was cut or written. ``details`` has size and limit."""

    code = "too_large"


class Unavailable(MemoryToolError):
    """No answer in time. The same call may be sent again as it is, which the client has done already.

    ``wait`` is how many seconds the service asked to wait.
    """

    code = "unavailable"
    retryable = True

    def __init__(self, message: str, details: Mapping[str, Any] | None = None, *, wait: float = 0.0) -> None:
        super().__init__(message, details)
        self.wait = wait


_BY_CODE: dict[str, type[MemoryToolError]] = {
    kind.code: kind for kind in (InvalidArguments, Unscoped, NotFound, Ambiguous, Conflict, TooLarge, Unavailable)
}


def error_of(code: str, message: str, details: Mapping[str, Any] | None = None) -> MemoryToolError:
    """The error of this code; one that this client does not know yet is ``InvalidArguments``, which is not retried."""
    return _BY_CODE.get(code, InvalidArguments)(message, details)
