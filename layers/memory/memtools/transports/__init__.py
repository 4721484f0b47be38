"""The envelopes in which calls arrive, one module each; ``recognise`` finds the envelope of an event."""

from functools import partial
from typing import Any, Final, cast

from memtools.errors import ToolError
from memtools.transports import agentcore, bedrock_functions, bedrock_openapi, direct, http
from memtools.wire.incoming import Event, Transport, custom_context, object_of, size_of
from memtools.wire.shortening import Answer, shortened

# Only the gateway can put these names into Lambda's client context.
_GATEWAY_PREFIX: Final = "bedrockAgentCore"


def recognise(event: Any, context: Any = None) -> Transport | None:
    """The envelope of an event, if it is a known one; ``context`` is Lambda's.

    AgentCore is checked first: there the model writes the whole event, and could imitate an envelope that names any
    user. It cannot write to the context, where the gateway's names are. Direct calls are checked last, because a caller
    who may make them may name any user anyway.
    """
    fields = object_of(event)
    request = object_of(fields.get("requestContext"))
    known = (
        (agentcore, any(str(name).startswith(_GATEWAY_PREFIX) for name in custom_context(context))),
        (bedrock_functions, "actionGroup" in fields and "function" in fields),
        (bedrock_openapi, "actionGroup" in fields and "apiPath" in fields),
        (http, isinstance(request.get("http"), dict)),
        # Payload 1.0. A load balancer's event looks similar, but nothing has checked the caller's identity.
        (http, "httpMethod" in fields and isinstance(request.get("identity"), dict)),
        (direct, "tool" in fields),
    )
    return next((cast("Transport", transport) for transport, matches in known if matches), None)


def encoded(transport: Transport, event: Event, outcome: Answer) -> dict[str, Any]:
    """The envelope's reply, with as much of the outcome as fits."""
    encode = partial(transport.encode, event)
    reply = encode(outcome if isinstance(outcome, ToolError) else outcome.as_dict())
    if size_of(reply) <= transport.REPLY_LIMIT:
        return reply
    return encode(shortened(outcome, transport.REPLY_LIMIT, encode))
