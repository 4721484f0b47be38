"""What HTTP requests have in common, whichever version of API Gateway's payload they come in."""

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, NotFound, ToolError, Unscoped
from memtools.transports.call import Call, Event, Outcome, object_of, parse_json
from memtools.transports.headers import Headers
from memtools.transports.limits import LAMBDA_REPLY, fit

_ROOT: Final = "/tools/"
STATUS: Final = {
    "invalid_arguments": HTTPStatus.BAD_REQUEST,
    "unscoped": HTTPStatus.FORBIDDEN,
    "not_found": HTTPStatus.NOT_FOUND,
    "ambiguous": HTTPStatus.CONFLICT,
    "conflict": HTTPStatus.CONFLICT,
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}


class _WrongMethod(InvalidArguments):
    """Only POST calls a tool."""


class _WrongType(InvalidArguments):
    """Only JSON is understood."""


class _NobodyCalls(Unscoped):
    """Neither a signature nor a token was checked."""


_SPECIAL_STATUS: Final[dict[type[ToolError], HTTPStatus]] = {
    _WrongMethod: HTTPStatus.METHOD_NOT_ALLOWED,
    _WrongType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    _NobodyCalls: HTTPStatus.UNAUTHORIZED,
}


@dataclass(frozen=True, slots=True)
class Request:
    """A request, whatever its payload calls the parts.

    ``token`` is what the authorizer says of a token, None where it checked none; ``subject`` finds the user in it.
    """

    method: Any
    path: Any
    headers: Headers
    token: Any
    subject: Callable[[Any], Any]
    signed: bool


def call_of(event: Event, request: Request, default_agent: str) -> Call:
    """The call; the scope comes from what the authorizer checked."""
    if request.method != "POST":
        raise _WrongMethod("A tool is called with POST.")
    scope = _scope(request, default_agent)
    root, _, tool = str(request.path).partition(_ROOT)
    if root.count("/") > 1 or not tool:
        raise NotFound(f"Tools are called at {_ROOT}<name of the tool>.")
    content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise _WrongType("The arguments have to be sent as application/json.")
    return Call(tool, parse_json(_body(event)), scope)


def _scope(request: Request, default_agent: str) -> Scope:
    """A token's subject with the deployment's agent, or what a signed caller says in its headers; else nobody."""
    if request.token is not None:
        return Scope(default_agent, request.subject(request.token))
    if request.signed:
        return request.headers.scope(default_agent)
    raise _NobodyCalls("Nobody vouches for the caller: sign the request (SigV4) or send a token, as the API demands.")


def subject_of(claims: Any) -> Any:
    """The claim that names the user."""
    return object_of(claims).get("sub", "")


def _body(event: Event) -> str | bytes:
    body = event.get("body") or ""
    if not isinstance(body, str):
        raise InvalidArguments("The body has to be text.")
    if not event.get("isBase64Encoded"):
        return body or "{}"
    try:
        return base64.b64decode(body, validate=True) or "{}"
    except (binascii.Error, ValueError):
        raise InvalidArguments("The body is said to be base64, and is not.") from None


def response_to(outcome: Outcome) -> dict[str, Any]:
    """The result as JSON, or the error as a problem (RFC 9457); the same in both payloads."""
    return fit(outcome, LAMBDA_REPLY, _response_to)


def _response_to(outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, ToolError):
        return _response(HTTPStatus.OK, "application/json", dict(outcome))
    status = _SPECIAL_STATUS.get(type(outcome)) or STATUS[outcome.code]
    problem = {
        "type": f"urn:memtools:error:{outcome.code}",
        "title": outcome.code.replace("_", " ").capitalize(),
        "status": status.value,
        "detail": outcome.message,
        "code": outcome.code,
        "details": dict(outcome.details),
    }
    response = _response(status, "application/problem+json", problem)
    if outcome.retryable:
        response["headers"]["retry-after"] = "1"
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        response["headers"]["allow"] = "POST"
    return response


def _response(status: HTTPStatus, content_type: str, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "statusCode": status.value,
        "headers": {"content-type": content_type, "cache-control": "no-store"},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }
