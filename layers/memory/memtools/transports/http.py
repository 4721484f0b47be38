"""API Gateway HTTP API and Lambda function URLs (payload 2.0): ``POST /tools/<tool>``, the arguments as JSON body."""

from typing import Any

from memtools.transports.call import Call, Event, Outcome, object_of
from memtools.transports.headers import Headers
from memtools.transports.request import Request, call_of, response_to, subject_of


def accepts(event: Event, context: Any = None) -> bool:  # noqa: ARG001 - the event says it all
    """An event of payload 2.0."""
    return isinstance(object_of(event.get("requestContext")).get("http"), dict)


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call; the scope comes from the authorizer alone."""
    request = event["requestContext"]
    checked = object_of(request.get("authorizer"))
    return call_of(
        event,
        Request(
            method=request["http"].get("method"),
            path=event.get("rawPath", ""),
            headers=Headers(event.get("headers")),
            token=checked.get("jwt"),
            subject=lambda token: subject_of(object_of(token).get("claims")),
            signed=bool(checked.get("iam")),
        ),
        default_agent,
    )


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as JSON, or the error as a problem (RFC 9457)."""
    return response_to(outcome)
