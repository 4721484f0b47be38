"""API Gateway REST API (payload 1.0): ``POST /tools/<tool>``, the arguments as JSON body.

An HTTP API that is set to payload 1.0 sends the same.
"""

from typing import Any

from memtools.transports.call import Call, Event, Outcome, object_of
from memtools.transports.headers import Headers
from memtools.transports.request import Request, call_of, response_to, subject_of


def accepts(event: Event, context: Any = None) -> bool:  # noqa: ARG001 - the event says it all
    """An event of payload 1.0. One of a load balancer, which checks nobody's identity, has none."""
    return "httpMethod" in event and isinstance(object_of(event.get("requestContext")).get("identity"), dict)


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call; the scope comes from the authorizer alone. An API key is a usage plan, not a person."""
    request = event["requestContext"]
    return call_of(
        event,
        Request(
            method=event["httpMethod"],
            path=event.get("path", ""),
            headers=Headers(event.get("headers"), event.get("multiValueHeaders")),
            token=object_of(request.get("authorizer")).get("claims"),
            subject=subject_of,
            signed=bool(request["identity"].get("userArn")),
        ),
        default_agent,
    )


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as JSON, or the error as a problem (RFC 9457)."""
    return response_to(outcome)
