"""The envelopes in which calls arrive: one module each, and here the one place that tells them apart."""

from typing import Any, cast

from memtools.transports import direct, http
from memtools.transports.call import Call, Event, Outcome, Transport

# In the order asked; the first that accepts an event has it.
TRANSPORTS = cast("tuple[Transport, ...]", (http, direct))

__all__ = ["Call", "Event", "Outcome", "Transport", "recognise"]


def recognise(event: Any) -> Transport | None:
    """The envelope that an event came in, if any is known."""
    if not isinstance(event, dict):
        return None
    return next((transport for transport in TRANSPORTS if transport.accepts(event)), None)
