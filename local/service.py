"""An HTTP server on 127.0.0.1 in the place of API Gateway: the template's routes, the real handlers."""

import base64
import importlib
import os
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from memtools.wiring import backend_of
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request, Response

from local import store
from local.guard import KEY, by_program_or_own_page, guarded
from local.serving import serving
from local.template import ROOT, Function, Template

Handler = Callable[[Any, Any], dict[str, Any]]

# Metrics are lines on standard output, which CloudWatch reads. Here nobody does.
_UNMEASURED = {"POWERTOOLS_METRICS_DISABLED": "true"}
# The window is always there: here it is for whoever started the service.
_WINDOW = {"WindowFunction": Function(ROOT / "functions" / "window", "window_handler", "handler")}
_FILES = "/window/{file+}"
# The size of an event that Lambda takes.
BODY_LIMIT: Final = 6 * 1024 * 1024


@dataclass(frozen=True)
class Context:
    """What the handlers use of Lambda's context."""

    aws_request_id: str


@dataclass(frozen=True)
class Service:
    """The running service: its address, that of its stores with their key, and the handlers by logical id."""

    url: str
    emulator: str
    handlers: Mapping[str, Handler]


def load_handler(function: Function) -> Handler:
    """The function's handler, made anew in the present environment."""
    sys.path.insert(0, str(function.code))
    try:
        sys.modules.pop(function.module, None)
        handler: Handler = getattr(importlib.import_module(function.module), function.attribute)
    finally:
        sys.path.remove(str(function.code))
    return handler


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
    path = _FILES if request.path.startswith("/window/") else request.path
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


@contextmanager
def running(port: int = 0, parameters: Mapping[str, str] | None = None) -> Iterator[Service]:
    """The service on ``port`` (0: a free one), over stores made from the template."""
    template = Template(parameters)
    with store.endpoint() as emulator, store.environment({**template.environment, **_UNMEASURED}):
        store.create(template)
        backend_of.cache_clear()  # a memory made before has clients of other stores
        handlers = {name: load_handler(function) for name, function in template.functions.items()}
        shown = {name: load_handler(function) for name, function in _WINDOW.items()}
        with serving(application(template.routes, {**handlers, **shown}), port) as url:
            yield Service(url, _with_key(emulator), handlers)


def _with_key(emulator: str) -> str:
    """The address with the access key id in it, as ``settings_for`` takes it, if the store is one that we started."""
    key = os.environ.get("AWS_ACCESS_KEY_ID")
    return emulator.replace("//", f"//{key}@") if key == KEY else emulator
