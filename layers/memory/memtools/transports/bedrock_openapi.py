"""Bedrock agent action groups with an OpenAPI schema: the path ``/tools/<tool>``, or ``/<tool>``, names the tool."""

from http import HTTPStatus
from typing import Any, Final

from memtools.errors import InvalidArguments, ToolError
from memtools.wire import bedrock
from memtools.wire.incoming import Call, Event, Outcome, object_of

REPLY_LIMIT: Final = bedrock.REPLY_LIMIT
_JSON: Final = "application/json"


def decode(event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG001
    """The call. Arguments can be parameters of the path and properties of the body."""
    scope = bedrock.scope_of(event)
    path = event["apiPath"]
    if not isinstance(path, str):
        raise InvalidArguments("`apiPath` must be the path of a tool.")
    tool = path.removeprefix("/tools/").removeprefix("/")
    return Call(tool, bedrock.arguments_of(event.get("parameters"), _properties(event)), scope)


def _properties(event: Event) -> Any:
    content = object_of(object_of(event.get("requestBody")).get("content"))
    if content and _JSON not in content:
        raise InvalidArguments("Send the arguments as application/json.")
    return object_of(content.get(_JSON)).get("properties")


def encode(event: Event, outcome: Outcome) -> dict[str, Any]:
    """The result or the error as JSON in a text."""
    status = outcome.status if isinstance(outcome, ToolError) else HTTPStatus.OK
    response = {
        "actionGroup": event["actionGroup"],
        "apiPath": event["apiPath"],
        "httpMethod": event.get("httpMethod", "POST"),
        "httpStatusCode": status.value,
        **bedrock.state_of(outcome),
        "responseBody": bedrock.body_of(_JSON, outcome),
    }
    return bedrock.reply_to(event, response)
