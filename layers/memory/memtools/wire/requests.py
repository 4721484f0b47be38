"""HTTP requests as API Gateway describes them, and responses to them.

There are two descriptions: payload 2.0 (HTTP API, function URL) and payload 1.0 (REST API, or an HTTP API that is set
to it).
"""

import base64
import binascii
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, Unscoped
from memtools.wire.incoming import Event, Headers, object_of


class WrongMethod(InvalidArguments):
    """Only POST calls a tool."""

    status = HTTPStatus.METHOD_NOT_ALLOWED


class WrongType(InvalidArguments):
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
            raise WrongMethod("Call tools with POST.")

    def require_json(self) -> None:
        """Raises InvalidArguments for a body of another type."""
        if self.headers.get("content-type", "application/json").partition(";")[0].strip().lower() != "application/json":
            raise WrongType("Send the arguments as application/json.")

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


def response(status: HTTPStatus, content_type: str, body: dict[str, Any]) -> dict[str, Any]:
    """A response with a body of JSON, the same for both payloads."""
    return {
        "statusCode": status.value,
        "headers": {"content-type": content_type, "cache-control": "no-store"},
        "body": json.dumps(body, ensure_ascii=False),
        "isBase64Encoded": False,
    }
