"""Direct invoke: ``{"tool", "arguments", "context": {"agent", "user"}}``. IAM on lambda:InvokeFunction is the guard."""

from typing import Any

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError
from memtools.transports.call import Call, Event, Outcome, object_of, printable
from memtools.transports.limits import LAMBDA_REPLY, fit

_NEIGHBOUR_WEIGHTS = ("tool", "arguments", "context")


def accepts(event: Event, context: Any = None) -> bool:  # noqa: ARG001 - the event says it all
    """Any event that names a tool."""
    return "tool" in event


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call; the context is the caller's word, which whoever may invoke the function is trusted to give."""
    if unknown := [printable(name) for name in event if name not in _NEIGHBOUR_WEIGHTS]:
        raise InvalidArguments(f"`{unknown[0]}` is no part of a direct call; it takes {', '.join(_NEIGHBOUR_WEIGHTS)}.")
    if not isinstance(event["tool"], str):
        raise InvalidArguments("`tool` has to be the name of a tool.")
    given = object_of(event.get("context"))
    scope = Scope(given.get("agent") or default_agent, given.get("user") or "")
    return Call(event["tool"], {} if event.get("arguments") is None else event["arguments"], scope)


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """``{"ok": true, "result"}`` or ``{"ok": false, "error"}``."""
    return fit(outcome, LAMBDA_REPLY, _reply)


def _reply(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, ToolError):
        return {"ok": False, "error": outcome.as_dict()}
    return {"ok": True, "result": dict(outcome)}
