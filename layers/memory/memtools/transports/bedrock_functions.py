"""Bedrock agent action groups with function details: the function's name is the tool's."""

from typing import Any

from memtools.errors import InvalidArguments
from memtools.transports import bedrock
from memtools.transports.call import Call, Event, Outcome


def accepts(event: Event, context: Any = None) -> bool:  # noqa: ARG001 - the event says it all
    """An event of an action group that names a function."""
    return "actionGroup" in event and "function" in event


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call; the agent is always the one that Bedrock runs."""
    scope = bedrock.scope_of(event)
    if not isinstance(event["function"], str):
        raise InvalidArguments("`function` has to be the name of a tool.")
    return Call(event["function"], bedrock.arguments_of(event.get("parameters")), scope)


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:
    """The result or the error as text."""
    return bedrock.reply_to(event, outcome, lambda one: _response(event, one))


def _response(event: Event, outcome: Outcome) -> dict[str, Any]:
    body = {"responseBody": bedrock.body_of("TEXT", outcome)}
    return {
        "actionGroup": event["actionGroup"],
        "function": event["function"],
        "functionResponse": {**bedrock.state_of(outcome), **body},
    }
