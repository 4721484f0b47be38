"""``POST /tools/<tool>`` with the arguments as JSON body, over an HTTP API, a function URL or a REST API.

API Gateway describes a request in two ways: payload 2.0 (HTTP API, function URL) and payload 1.0 (REST API, or an HTTP
API that is set to it).
"""

import base64
import binascii
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, NotFound, ToolError, Unscoped
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT, Call, Event, Headers, Outcome, object_of, parse_json

REPLY_LIMIT: Final = LAMBDA_REPLY_LIMIT
_ROOT: Final = "/tools/"
_KEY_HEADER: Final = "idempotency-key"


class _WrongMethod(InvalidArguments):
    """Only POST calls a tool."""

    status = HTTPStatus.METHOD_NOT_ALLOWED


class _WrongType(InvalidArguments):
    """Only JSON is accepted."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class _Unauthenticated(Unscoped):
    """Neither a signature nor a token was checked."""

    status = HTTPStatus.UNAUTHORIZED


@dataclass(frozen=True, slots=True)
class _Request:
    """A request in either payload.

    ``claims`` are those of the token that the authorizer checked, or None; ``signed`` means that it checked a
    signature.
    """

    method: Any
    path: Any
    headers: Headers
    claims: Any
    signed: bool


def _payload_1(event: Event) -> _Request:
    """An API key does not count: it names a usage plan, not a caller."""
    context = event["requestContext"]
    return _Request(
        method=event["httpMethod"],
        path=event.get("path", ""),
        headers=Headers(event.get("headers"), event.get("multiValueHeaders")),
        claims=object_of(context.get("authorizer")).get("claims"),
        signed=bool(context["identity"].get("userArn")),
    )


def _payload_2(event: Event) -> _Request:
    context = event["requestContext"]
    checked = object_of(context.get("authorizer"))
    token = checked.get("jwt")
    return _Request(
        method=context["http"].get("method"),
        path=event.get("rawPath", ""),
        headers=Headers(event.get("headers")),
        claims=None if token is None else object_of(object_of(token).get("claims")),
        signed=bool(checked.get("iam")),
    )


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call. Its scope comes only from what the authorizer checked."""
    is_payload_2 = isinstance(event["requestContext"].get("http"), dict)
    request = _payload_2(event) if is_payload_2 else _payload_1(event)
    if request.method != "POST":
        raise _WrongMethod("Call tools with POST.")
    scope = _scope(request, default_agent)
    root, _, tool = str(request.path).partition(_ROOT)
    if root.count("/") > 1 or not tool:
        raise NotFound(f"Unknown path. Call tools at {_ROOT}<tool name>.")
    content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise _WrongType("Send the arguments as application/json.")
    return Call(tool, parse_json(_body(event)), scope, request.headers.all(_KEY_HEADER))


def _scope(request: _Request, default_agent: str) -> Scope:
    """The subject of a token with the deployment's agent, or the names in the headers of a signed request."""
    if request.claims is not None:
        return Scope(default_agent, object_of(request.claims).get("sub", ""))
    if request.signed:
        return request.headers.scope(default_agent)
    raise _Unauthenticated(
        "The caller is not authenticated. Sign the request (SigV4) or send a token, whichever the API requires."
    )


def _body(event: Event) -> str | bytes:
    body = event.get("body") or ""
    if not isinstance(body, str):
        raise InvalidArguments("The body must be text.")
    if not event.get("isBase64Encoded"):
        return body or "{}"
    try:
        return base64.b64decode(body, validate=True) or "{}"
    except (binascii.Error, ValueError):
        raise InvalidArguments("The body is marked as base64 but is not valid base64.") from None


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as JSON, or the error as a problem (RFC 9457); the same for both payloads."""
    if not isinstance(outcome, ToolError):
        return _response(HTTPStatus.OK, "application/json", dict(outcome))
    problem = {
        "type": f"urn:memtools:error:{outcome.code}",
        "title": outcome.code.replace("_", " ").capitalize(),
        "status": outcome.status.value,
        "detail": outcome.message,
        "code": outcome.code,
        "details": dict(outcome.details),
    }
    response = _response(outcome.status, "application/problem+json", problem)
    if outcome.retryable:
        response["headers"]["retry-after"] = "1"
    if outcome.status is HTTPStatus.METHOD_NOT_ALLOWED:
        response["headers"]["allow"] = "POST"
    return response


def _response(status: HTTPStatus, content_type: str, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "statusCode": status.value,
        "headers": {"content-type": content_type, "cache-control": "no-store"},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }
