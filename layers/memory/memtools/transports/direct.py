"""Direct invoke, guarded by IAM on lambda:InvokeFunction.

``{"tool", "arguments", "context": {"agent", "user", "idempotencyKey"}}``
"""

from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT, Call, Event, Outcome, object_of, printable

REPLY_LIMIT: Final = LAMBDA_REPLY_LIMIT
_FIELDS: Final = ("tool", "arguments", "context")


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call. Its context is trusted, because every caller that may invoke the function is."""
    if unknown := [printable(name) for name in event if name not in _FIELDS]:
        raise InvalidArguments(f"Unknown field `{unknown[0]}` in a direct call; it takes {', '.join(_FIELDS)}.")
    if not isinstance(event["tool"], str):
        raise InvalidArguments("`tool` must be the name of a tool.")
    caller = object_of(event.get("context"))
    scope = Scope(caller.get("agent") or default_agent, caller.get("user") or "")
    arguments = {} if event.get("arguments") is None else event["arguments"]
    return Call(event["tool"], arguments, scope, caller.get("idempotencyKey"))


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """``{"ok": true, "result"}`` or ``{"ok": false, "error"}``."""
    if isinstance(outcome, ToolError):
        return {"ok": False, "error": outcome.as_dict()}
    return {"ok": True, "result": dict(outcome)}
