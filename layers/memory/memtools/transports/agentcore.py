"""AgentCore Gateway, Lambda target: the event is the arguments alone; what is vouched for is in the context.

The model writes the whole event, so nothing in it says in which envelope it came, nor whose memory it is about.
"""

import json
from typing import Any, Final

from memtools.errors import InvalidArguments, ToolError
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT, Call, Event, Headers, Outcome, custom_context

REPLY_LIMIT: Final = LAMBDA_REPLY_LIMIT
_TOOL: Final = "bedrockAgentCoreToolName"
_HEADERS: Final = "bedrockAgentCorePropagatedHeaders"
# Between the name of the target and that of the tool.
_SEPARATOR: Final = "___"


def decode(event: Event, default_agent: str, context: Any = None) -> Call:
    """The call; the user is named by a header that the gateway propagates, the agent too or by the deployment."""
    custom = custom_context(context)
    name = custom.get(_TOOL)
    if not isinstance(name, str):
        raise InvalidArguments("The gateway did not name the tool to call.")
    _, _, tool = name.partition(_SEPARATOR)
    return Call(tool or name, event, _headers(custom.get(_HEADERS)).scope(default_agent))


def _headers(propagated: Any) -> Headers:
    """The headers, an object or one as JSON; what cannot be read names nobody."""
    if not isinstance(propagated, str):
        return Headers(propagated)
    try:
        # As pairs, so that a name that stands there twice is seen.
        return Headers(json.loads(propagated, object_pairs_hook=list))
    except (ValueError, RecursionError):
        return Headers()


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:  # noqa: ARG001 - the envelope echoes nothing
    """The result as it is; an error for programs (``error``) and, as MCP has it, for the model (``content``)."""
    if not isinstance(outcome, ToolError):
        return dict(outcome)
    return {
        "isError": True,
        "error": outcome.as_dict(),
        "content": [{"type": "text", "text": outcome.message}],
    }
