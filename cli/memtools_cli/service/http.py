"""Requests as API Gateway would hand them to a handler, and its replies as responses."""

import base64
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request, Response

from memtools_cli.service.guard import by_program_or_own_page, guarded

Handler = Callable[[Any, Any], dict[str, Any]]

WINDOW_FILES: Final = "/window/{file+}"
# The size of an event that Lambda takes.
BODY_LIMIT: Final = 6 * 1024 * 1024


@dataclass(frozen=True)
class Context:
    """What the handlers use of Lambda's context."""

    aws_request_id: str


def event_of(request: Request) -> dict[str, Any]:
    """The request as API Gateway would hand it over (payload 2.0), the caller's signature taken for granted.

    The headers ``x-memory-agent`` and ``x-memory-user`` make a signed caller; without them nobody vouches.
    """
    signed = "x-memory-agent" in request.headers or "x-memory-user" in request.headers
    caller = {"authorizer": {"iam": {"userArn": "arn:aws:iam::000000000000:user/local"}}} if signed else {}
    return {
        "version": "2.0",
        "routeKey": f"{request.method} {request.path}",
        "rawPath": request.path,
        "rawQueryString": request.query_string.decode(),
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "requestContext": {
            "http": {"method": request.method, "path": request.path, "sourceIp": request.remote_addr or ""},
            "requestId": str(uuid.uuid4()),
            "stage": "$default",
            **caller,
        },
        "body": base64.b64encode(request.get_data()).decode(),
        "isBase64Encoded": True,
    }


def too_large(request: Request) -> bool:
    """Whether the body is beyond the limit; no more of it is read than shows that."""
    # One more byte, because werkzeug silently cuts a body that does not say how long it is.
    request.max_content_length = BODY_LIMIT + 1
    try:
        return len(request.get_data()) > BODY_LIMIT
    except RequestEntityTooLarge:
        return True


def route_of(request: Request, routes: Iterable[str]) -> str | None:
    """The key of the route that API Gateway would choose, if there is one."""
    path = WINDOW_FILES if request.path.startswith("/window/") else request.path
    return next((key for key in (f"{request.method} {path}", f"ANY {path}") if key in routes), None)


def application(routes: Mapping[str, str], handlers: Mapping[str, Handler]) -> Any:
    """A WSGI application that answers as the HTTP API would, and no other site's page."""

    @Request.application
    def respond(request: Request) -> Response:
        route = route_of(request, routes)
        if route is None:
            # As API Gateway words it: the functions are never asked.
            return Response('{"message": "Not Found"}', 404, content_type="application/json")
        if too_large(request):
            return Response('{"message": "Request Entity Too Large"}', 413, content_type="application/json")
        event = event_of(request)
        reply = handlers[routes[route]](event, Context(event["requestContext"]["requestId"]))
        return Response(reply["body"], reply["statusCode"], headers=reply["headers"])

    return guarded(respond, by_program_or_own_page)
