"""Calls in each envelope, and what its replies say: what AWS does around the functions."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memtools.domain.scope import Scope

from local.invoke import client_context

Arguments = dict[str, Any]
ARN = "arn:aws:iam::111122223333:role/app"


@dataclass(frozen=True)
class Envelope:
    """``wrap`` makes the event and the client context; ``read`` finds in a reply the result, or the error."""

    wrap: Callable[[str, Arguments, Scope], tuple[Any, Any]]
    read: Callable[[Any], dict[str, Any]]


def _parameters(arguments: Arguments) -> list[dict[str, str]]:
    kinds = {int: "integer", float: "number", bool: "boolean", list: "array"}
    return [
        {
            "name": name,
            "type": kinds.get(type(value), "string"),
            "value": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False),
        }
        for name, value in arguments.items()
    ]


def _bedrock(scope: Scope) -> dict[str, Any]:
    return {
        "messageVersion": "1.0",
        "agent": {"name": "helper", "id": scope.agent, "alias": "TSTALIASID", "version": "DRAFT"},
        "inputText": "Hello",
        "sessionId": "593021847562214",
        "actionGroup": "memory",
        "sessionAttributes": {"userId": scope.user},
        "promptSessionAttributes": {},
    }


def bedrock_functions(tool: str, arguments: Arguments, scope: Scope) -> tuple[Any, Any]:
    return {**_bedrock(scope), "function": tool, "parameters": _parameters(arguments)}, None


def bedrock_openapi(tool: str, arguments: Arguments, scope: Scope) -> tuple[Any, Any]:
    body = {"content": {"application/json": {"properties": _parameters(arguments)}}}
    path = {"apiPath": f"/tools/{tool}", "httpMethod": "POST"}
    return {**_bedrock(scope), **path, "parameters": [], "requestBody": body}, None


def agentcore(tool: str, arguments: Arguments, scope: Scope) -> tuple[Any, Any]:
    headers = {"X-Memory-Agent": scope.agent, "X-Memory-User": scope.user}
    custom = {"bedrockAgentCoreToolName": f"memory___{tool}", "bedrockAgentCorePropagatedHeaders": headers}
    return arguments, client_context(custom)


def http(tool: str, arguments: Arguments, scope: Scope) -> tuple[Any, Any]:
    return {
        "version": "2.0",
        "rawPath": f"/tools/{tool}",
        "headers": {"x-memory-agent": scope.agent, "x-memory-user": scope.user},
        "requestContext": {"http": {"method": "POST"}, "authorizer": {"iam": {"userArn": ARN}}},
        "body": json.dumps(arguments),
    }, None


def rest(tool: str, arguments: Arguments, scope: Scope) -> tuple[Any, Any]:
    headers = {"x-memory-agent": scope.agent, "x-memory-user": scope.user}
    return {
        "path": f"/tools/{tool}",
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "requestContext": {"identity": {"userArn": ARN}},
        "body": json.dumps(arguments),
    }, None


def direct(tool: str, arguments: Arguments, scope: Scope) -> tuple[Any, Any]:
    return {"tool": tool, "arguments": arguments, "context": {"agent": scope.agent, "user": scope.user}}, None


def _of_functions(reply: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"])
    return body


def _of_openapi(reply: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(reply["response"]["responseBody"]["application/json"]["body"])
    return body


def _of_agentcore(reply: Any) -> dict[str, Any]:
    body: dict[str, Any] = reply["error"] if "isError" in reply else reply
    return body


def _of_http(reply: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(reply["body"])
    return body


def _of_direct(reply: Any) -> dict[str, Any]:
    body: dict[str, Any] = reply["result"] if reply["ok"] else reply["error"]
    return body


ENVELOPES = {
    "bedrock-functions": Envelope(bedrock_functions, _of_functions),
    "bedrock-openapi": Envelope(bedrock_openapi, _of_openapi),
    "agentcore": Envelope(agentcore, _of_agentcore),
    "http": Envelope(http, _of_http),
    "rest": Envelope(rest, _of_http),
    "direct": Envelope(direct, _of_direct),
}
