"""API Gateway HTTP API and Lambda function URLs (payload 2.0): ``POST /tools/<tool>``, the arguments as JSON body."""

import base64
import binascii
import json
from http import HTTPStatus
from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, NotFound, ToolError, Unscoped
from memtools.transports.call import Call, Event, Outcome, parse_json

_ROOT = "/tools/"
_AGENT_HEADER = "x-memory-agent"
_USER_HEADER = "x-memory-user"
_STATUS: Final = {
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


def accepts(event: Event) -> bool:
    """An event of payload 2.0."""
    context = event.get("requestContext")
    return isinstance(context, dict) and isinstance(context.get("http"), dict)


def decode(event: Event, default_agent: str) -> Call:
    """The call; the scope comes from the authorizer alone."""
    request = event["requestContext"]["http"]
    if request.get("method") != "POST":
        raise _WrongMethod("A tool is called with POST.")
    headers = _lower_case(event.get("headers"))
    scope = _scope(event["requestContext"].get("authorizer"), headers, default_agent)
    root, _, tool = str(event.get("rawPath", "")).partition(_ROOT)
    if root.count("/") > 1 or not tool:
        raise NotFound(f"Tools are called at {_ROOT}<name of the tool>.")
    content_type = headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise _WrongType("The arguments have to be sent as application/json.")
    return Call(tool, parse_json(_body(event)), scope)


def _scope(authorizer: Any, headers: dict[str, str], default_agent: str) -> Scope:
    """A token's subject with the deployment's agent, or what a signed caller says in its headers; else nobody."""
    checked = _object(authorizer)
    if checked.get("jwt") is not None:
        return Scope(default_agent, _object(_object(checked["jwt"]).get("claims")).get("sub", ""))
    if checked.get("iam"):
        return Scope(headers.get(_AGENT_HEADER) or default_agent, headers.get(_USER_HEADER, ""))
    raise _NobodyCalls("Nobody vouches for the caller: sign the request (SigV4) or send a token, as the API demands.")


def _lower_case(headers: Any) -> dict[str, str]:
    return {str(name).lower(): value for name, value in _object(headers).items() if isinstance(value, str)}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


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


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as JSON, or the error as a problem (RFC 9457)."""
    if not isinstance(outcome, ToolError):
        return _response(HTTPStatus.OK, "application/json", dict(outcome))
    status = _SPECIAL_STATUS.get(type(outcome)) or _STATUS[outcome.code]
    problem = {
        "type": f"urn:memtools:error:{outcome.code}",
        "title": status.phrase,
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
