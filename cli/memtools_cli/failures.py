"""What can go wrong, in one line for people, one word for programs, and an exit code for scripts."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)
from memtools.adapters.aws import code_of


class Exit(IntEnum):
    """How a command ends; docs/command-line.md says the same to users."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    UNAVAILABLE = 3
    FORBIDDEN = 4
    FAULT = 70
    INTERRUPTED = 130


_EXITS = {"invalid_arguments": Exit.USAGE, "unscoped": Exit.FORBIDDEN, "unavailable": Exit.UNAVAILABLE}


class Failure(Exception):
    """A command that did not do what it was asked to; ``code`` is a word of the tools' errors, or one of ours."""

    def __init__(self, message: str, code: str, end: Exit, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.exit = end
        self.details = dict(details or {})

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}


def refused(message: str, code: str = "refused", **details: Any) -> Failure:
    """Understood, and not done for a reason that trying again does not change."""
    return Failure(message, code, Exit.REFUSED, details)


def bad_usage(message: str, **details: Any) -> Failure:
    """What was typed, or what a file holds, makes no sense."""
    return Failure(message, "usage", Exit.USAGE, details)


def unavailable(message: str) -> Failure:
    """Try again later; every command may be run again as it is."""
    return Failure(message, "unavailable", Exit.UNAVAILABLE)


def forbidden(message: str, **details: Any) -> Failure:
    """Nobody vouches for the caller, or the caller may not."""
    return Failure(message, "forbidden", Exit.FORBIDDEN, details)


def told_by_tool(code: str, message: str, details: Any) -> Failure:
    """The error that a tool answered with."""
    return Failure(message, code, _EXITS.get(code, Exit.REFUSED), details if isinstance(details, dict) else {})


_NOT_ALLOWED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "AllAccessDisabled",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "SignatureDoesNotMatch",
        "UnauthorizedOperation",
        "UnrecognizedClientException",
        "403",
    }
)
_NOT_THERE = frozenset({"ResourceNotFoundException", "NoSuchBucket", "NoSuchKey", "404"})
_REFUSALS = {
    "ValidationError": "there is no such stack in this region and account",  # CloudFormation's word for that
    "ValidationException": "DynamoDB takes no such request; check the table, and what is to go there",
}
_NOT_SIGNED_IN = (
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)


def of_aws(error: ClientError | BotoCoreError, doing: str) -> Failure:
    """AWS's error in the words of this command line; ``doing`` says what was tried."""
    match error:
        case ClientError():
            return _of_service(error, doing)
        case NoRegionError():
            return bad_usage("No AWS region: set AWS_REGION.")
        case ParamValidationError():
            return bad_usage(f"AWS takes no such name to {doing}: check the names given.")
        case _ if isinstance(error, _NOT_SIGNED_IN):
            return forbidden(f"No AWS credentials to {doing}: sign in, or set AWS_PROFILE or AWS_ACCESS_KEY_ID.")
        case _:
            return unavailable(f"Could not {doing}: {type(error).__name__}. Run the command again.")


def _of_service(error: ClientError, doing: str) -> Failure:
    """What a service answered."""
    code, operation = code_of(error), error.operation_name
    if code in _NOT_ALLOWED:
        return forbidden(f"Not allowed to {doing}: AWS refused {operation} ({code}).", operation=operation)
    if code in _NOT_THERE:
        return refused(f"Could not {doing}: it is not there ({code}).", "not_found")
    if why := _REFUSALS.get(code):
        return refused(f"Could not {doing}: {why}.")
    return unavailable(f"Could not {doing}: AWS answered {code}. Run the command again.")


@contextmanager
def told(doing: str) -> Iterator[None]:
    """AWS's errors inside as failures; ``doing`` completes "could not …"."""
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise of_aws(error, doing) from None
