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
class Request:
    """A request in either payload.

    ``claims`` are those of the token that the authorizer checked, or None; ``signed`` means that it checked a
    signature.
    """

    method: Any
    path: Any
    headers: Headers
    claims: Any
    signed: bool

    def require_post(self) -> None:
        """Raises InvalidArguments for another method."""
        if self.method != "POST":
            raise _WrongMethod("Call tools with POST.")

    def require_json(self) -> None:
        """Raises InvalidArguments for a body of another type."""
        if self.headers.get("content-type", "application/json").partition(";")[0].strip().lower() != "application/json":
            raise _WrongType("Send the arguments as application/json.")

    def scope(self, default_agent: str) -> Scope:
        """The subject of a token with the deployment's agent, or the names in the headers of a signed request."""
        if self.claims is not None:
            return Scope(default_agent, object_of(self.claims).get("sub", ""))
        if self.signed:
            return self.headers.scope(default_agent)
        raise _Unauthenticated(
            "The caller is not authenticated. Sign the request (SigV4) or send a token, whichever the API requires."
        )


def request_of(event: Event) -> Request:
    """The request that an event of API Gateway describes."""
    return _payload_2(event) if isinstance(event["requestContext"].get("http"), dict) else _payload_1(event)


def _payload_1(event: Event) -> Request:
    """An API key does not count: it names a usage plan, not a caller."""
    context = event["requestContext"]
    return Request(
        method=event["httpMethod"],
        path=event.get("path", ""),
        headers=Headers(event.get("headers"), event.get("multiValueHeaders")),
        claims=object_of(context.get("authorizer")).get("claims"),
        signed=bool(context["identity"].get("userArn")),
    )


def _payload_2(event: Event) -> Request:
    context = event["requestContext"]
    checked = object_of(context.get("authorizer"))
    token = checked.get("jwt")
    return Request(
        method=context["http"].get("method"),
        path=event.get("rawPath", ""),
        headers=Headers(event.get("headers")),
        claims=None if token is None else object_of(object_of(token).get("claims")),
        signed=bool(checked.get("iam")),
    )


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call. Its scope comes only from what the authorizer checked."""
    request = request_of(event)
    request.require_post()
    scope = request.scope(default_agent)
    root, _, tool = str(request.path).partition(_ROOT)
    if root.count("/") > 1 or not tool:
        raise NotFound(f"Unknown path. Call tools at {_ROOT}<tool name>.")
    request.require_json()
    return Call(tool, parse_json(body_of(event)), scope, request.headers.all(_KEY_HEADER))


def body_of(event: Event) -> str | bytes:
    """The body of the request that the event describes; ``{}`` if there is none. Raises InvalidArguments."""
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
        return response(HTTPStatus.OK, "application/json", dict(outcome))
    problem = {
        "type": f"urn:memtools:error:{outcome.code}",
        "title": outcome.code.replace("_", " ").capitalize(),
        "status": outcome.status.value,
        "detail": outcome.message,
        "code": outcome.code,
        "details": dict(outcome.details),
    }
    answer = response(outcome.status, "application/problem+json", problem)
    if outcome.retryable:
        answer["headers"]["retry-after"] = "1"
    if outcome.status is HTTPStatus.METHOD_NOT_ALLOWED:
        answer["headers"]["allow"] = "POST"
    return answer


def response(status: HTTPStatus, content_type: str, body: dict[str, Any]) -> dict[str, Any]:
    """A response with a body of JSON, the same for both payloads."""
    return {
        "statusCode": status.value,
        "headers": {"content-type": content_type, "cache-control": "no-store"},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }
