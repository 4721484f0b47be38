"""AgentCore Gateway with a Lambda target: the event has only the arguments; everything trusted is in the context.

The model writes the whole event, so nothing in the event decides the envelope or the scope.
"""

import json
from typing import Any, Final

from memtools.errors import InvalidArguments, ToolError
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT, Call, Event, Headers, Outcome, custom_context

REPLY_LIMIT: Final = LAMBDA_REPLY_LIMIT
_TOOL: Final = "bedrockAgentCoreToolName"
_KEY_HEADER: Final = "x-memory-idempotency-key"
_HEADERS: Final = "bedrockAgentCorePropagatedHeaders"
# Between the target's name and the tool's.
_SEPARATOR: Final = "___"


def decode(event: Event, default_agent: str, context: Any = None) -> Call:
    """The call. The gateway propagates headers with the user, the agent and the key; the agent has a default."""
    custom = custom_context(context)
    name = custom.get(_TOOL)
    if not isinstance(name, str):
        raise InvalidArguments("The gateway did not name the tool to call.")
    _, _, tool = name.partition(_SEPARATOR)
    headers = _headers(custom.get(_HEADERS))
    return Call(tool or name, event, headers.scope(default_agent), headers.all(_KEY_HEADER))


def _headers(propagated: Any) -> Headers:
    """The headers, from an object or its JSON. Unreadable ones count as absent."""
    if not isinstance(propagated, str):
        return Headers(propagated)
    try:
        # As pairs, so that a repeated name is noticed.
        return Headers(json.loads(propagated, object_pairs_hook=list))
    except (ValueError, RecursionError):
        return Headers()


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as it is. An error is in ``error`` for programs and, as in MCP, in ``content`` for the model."""
    if not isinstance(outcome, ToolError):
        return dict(outcome)
    return {
        "isError": True,
        "error": outcome.as_dict(),
        "content": [{"type": "text", "text": outcome.message}],
    }
