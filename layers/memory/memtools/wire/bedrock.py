"""What both kinds of Bedrock agent action groups have in common."""

import json
from collections.abc import Iterable
from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError
from memtools.wire.bedrock_values import value_of
from memtools.wire.incoming import Event, Outcome, encodable, object_of, printable

# Bytes of a reply. Bedrock accepts "25 KB" from an action group, which no primary source confirms; this is the smaller
# kind of KB.
REPLY_LIMIT: Final = 25_000
# These errors end the user's call. All others go back to the model, which can correct the call.
_FAILURES: Final = ("fault", "unavailable", "unscoped")


def scope_of(event: Event) -> Scope:
    """The agent that Bedrock runs, and the user that the application set for the session.

    ``promptSessionAttributes`` belong to the prompt, so they are not used.
    """
    agent = object_of(event.get("agent")).get("id", "")
    return Scope(agent, object_of(event.get("sessionAttributes")).get("userId", ""))


def arguments_of(*groups: Any) -> dict[str, Any]:
    """The arguments from lists of ``{"name", "type", "value"}``. Raises InvalidArguments."""
    arguments: dict[str, Any] = {}
    for parameter in _parameters(groups):
        name = parameter["name"]
        if name in arguments:
            shown = printable(name)
            raise InvalidArguments(f"`{shown}` was given twice. Send each argument once.", argument=shown)
        arguments[name] = value_of(name, parameter.get("type"), parameter.get("value"))
    return arguments


def _parameters(groups: Iterable[Any]) -> Iterable[dict[str, Any]]:
    for group in groups:
        parameters = [] if group is None else group
        if not isinstance(parameters, list) or not all(
            isinstance(object_of(one).get("name"), str) for one in parameters
        ):
            raise InvalidArguments("The parameters must be a list of objects, each with a name, a type and a value.")
        yield from parameters


def reply_to(event: Event, response: dict[str, Any]) -> dict[str, Any]:
    """Bedrock's reply with ``response``. It repeats the session's attributes, which Bedrock would otherwise forget."""
    attributes = {name: object_of(event.get(name)) for name in ("sessionAttributes", "promptSessionAttributes")}
    reply: dict[str, Any] = encodable({"messageVersion": "1.0", "response": response, **attributes})
    return reply


def state_of(outcome: Outcome) -> dict[str, str]:
    """Where an error goes: back to the model, or to the application as the end of the call."""
    if not isinstance(outcome, ToolError):
        return {}
    return {"responseState": "FAILURE" if outcome.code in _FAILURES else "REPROMPT"}


def body_of(content_type: str, outcome: Outcome) -> dict[str, Any]:
    """The result, or the error, as the text that the model reads."""
    content = outcome.as_dict() if isinstance(outcome, ToolError) else dict(outcome)
    return {content_type: {"body": json.dumps(content, ensure_ascii=False)}}
