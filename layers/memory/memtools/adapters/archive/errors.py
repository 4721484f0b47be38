"""Translates AWS errors by what an operator can do about them. Only AWS's error codes pass, not its texts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
from memtools.errors import InvalidArguments, NotFound, ToolError, Unavailable, Unscoped

_FORBIDDEN: Final = frozenset(
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
_MISSING: Final = frozenset({"ResourceNotFoundException", "NoSuchBucket", "NoSuchKey", "404"})
_REJECTED: Final = frozenset({"ValidationError", "ValidationException"})
_SIGNED_OUT: Final = (
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
    UnauthorizedSSOTokenError,
)


def translation(error: ClientError | BotoCoreError, doing: str) -> ToolError:
    """The translated error; ``doing`` completes "could not ...". ``details`` has AWS's error code."""
    match error:
        case ClientError():
            return _of_service(error, doing)
        case NoRegionError():
            return InvalidArguments("No AWS region: set AWS_REGION.")
        case ParamValidationError():
            return InvalidArguments(f"AWS has no such name to {doing}: check the names given.")
        case _ if isinstance(error, _SIGNED_OUT):
            return Unscoped(f"No AWS credentials to {doing}: sign in, or set AWS_PROFILE or AWS_ACCESS_KEY_ID.")
        case _:
            return Unavailable(f"Could not {doing}: {type(error).__name__}. Run the command again.")


def _of_service(error: ClientError, doing: str) -> ToolError:
    code, operation = code_of(error), error.operation_name
    if code in _FORBIDDEN:
        return Unscoped(f"Not allowed to {doing}: AWS refused {operation} ({code}).", aws=code)
    if code in _MISSING:
        return NotFound(f"Could not {doing}: it is not there ({code}).", aws=code)
    if code in _REJECTED:
        return InvalidArguments(f"Could not {doing}: AWS does not accept the request. Check the names given.", aws=code)
    return Unavailable(f"Could not {doing}: AWS answered {code}. Run the command again.", aws=code)


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Translate AWS errors; ``doing`` completes "could not ..."."""
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise translation(error, doing) from None
