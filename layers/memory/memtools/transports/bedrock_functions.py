"""Bedrock agent action groups with function details: the function's name is the tool's."""

from typing import Any

from memtools.errors import InvalidArguments
from memtools.wire import bedrock
from memtools.wire.incoming import Call, Event, Outcome

REPLY_LIMIT = bedrock.REPLY_LIMIT


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call. The agent is always the one that Bedrock runs."""
    scope = bedrock.scope_of(event)
    if not isinstance(event["function"], str):
        raise InvalidArguments("`function` must be the name of a tool.")
    return Call(event["function"], bedrock.arguments_of(event.get("parameters")), scope)


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:
    """The result or the error as text."""
    body = {"responseBody": bedrock.body_of("TEXT", outcome)}
    response = {
        "actionGroup": event["actionGroup"],
        "function": event["function"],
        "functionResponse": {**bedrock.state_of(outcome), **body},
    }
    return bedrock.reply_to(event, response)
