"""The envelopes in which calls arrive: one module each, and here the one place that tells them apart."""

from functools import partial
from typing import Any, Final, cast

from memtools.errors import ToolError
from memtools.transports import agentcore, bedrock_functions, bedrock_openapi, direct, http
from memtools.wire.incoming import Event, Transport, custom_context, object_of, size_of
from memtools.wire.shortening import Answer, shortened

# Only the gateway can put these names into Lambda's client context.
_GATEWAY_PREFIX: Final = "bedrockAgentCore"


def recognise(event: Any, context: Any = None) -> Transport | None:
    """The envelope that an event came in, if any is known; ``context`` is Lambda's.

    AgentCore comes first: there the model writes the whole event, and could make it look like any other envelope that
    names whom it likes; the gateway's mark in the context is out of its reach. Direct calls come last: whoever may make
    them may name anybody.
    """
    given = object_of(event)
    request = object_of(given.get("requestContext"))
    known = (
        (agentcore, any(str(name).startswith(_GATEWAY_PREFIX) for name in custom_context(context))),
        (bedrock_functions, "actionGroup" in given and "function" in given),
        (bedrock_openapi, "actionGroup" in given and "apiPath" in given),
        (http, isinstance(request.get("http"), dict)),
        # Payload 1.0. A load balancer's event looks alike, but checks nobody's identity.
        (http, "httpMethod" in given and isinstance(request.get("identity"), dict)),
        (direct, "tool" in given),
    )
    return next((cast("Transport", transport) for transport, is_it in known if is_it), None)


def encoded(transport: Transport, event: Event, outcome: Answer) -> dict[str, Any]:
    """The envelope's reply, with as much of the outcome as it can carry."""
    encode = partial(transport.encode, event)
    reply = encode(outcome if isinstance(outcome, ToolError) else outcome.as_dict())
    if size_of(reply) <= transport.REPLY_LIMIT:
        return reply
    return encode(shortened(outcome, transport.REPLY_LIMIT, encode))
