"""The envelopes in which calls arrive: one module each, and here the one place that tells them apart."""

from typing import Any, cast

from memtools.transports import agentcore, bedrock_functions, bedrock_openapi, direct, http, rest
from memtools.transports.call import Call, Event, Outcome, Transport

# In the order asked; the first that accepts an event has it. AgentCore comes first, since its whole event is written by
# the model, which could make it look like any other and so name whom it likes; the gateway's mark in the context it
# cannot touch. Direct calls come last: whoever may make them may name anybody.
TRANSPORTS = cast("tuple[Transport, ...]", (agentcore, bedrock_functions, bedrock_openapi, http, rest, direct))

__all__ = ["TRANSPORTS", "Call", "Event", "Outcome", "Transport", "recognise"]


def recognise(event: Any, context: Any = None) -> Transport | None:
    """The envelope that an event came in, if any is known; ``context`` is Lambda's."""
    given = event if isinstance(event, dict) else {}
    return next((transport for transport in TRANSPORTS if transport.accepts(given, context)), None)
