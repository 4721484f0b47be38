"""The tools as OpenAPI documents: for the HTTP API (3.1), and for Bedrock's action groups (3.0.3)."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from memtools.tools.tool import AnyTool
from pydantic.json_schema import models_json_schema

from generate.schemas import Schema, arguments_of, plain, reply_of, tidy

# Increment by hand when the API changes for its callers.
_VERSION: Final = "1.0.0"
_COMPONENTS: Final = "#/components"
_JSON: Final = "application/json"
_PROBLEM: Final = "application/problem+json"

# The errors with each status, and their cause.
ERRORS: Final[dict[int, tuple[tuple[str, ...], str]]] = {
    400: (("invalid_arguments",), "The arguments are invalid; `detail` names each one and says what is allowed."),
    401: (("unscoped",), "The caller is not authenticated: the request is not signed, or the token is missing."),
    403: (("unscoped",), "The caller is not allowed to call, or the agent or the user is unknown."),
    404: (("not_found",), "The id or the text does not exist in the caller's memory, or there is no such tool."),
    405: (("invalid_arguments",), "Call tools with POST."),
    409: (
        ("ambiguous", "conflict"),
        "The text occurs more than once, or the memory or document has changed in the meantime.",
    ),
    413: (("too_large",), "Something exceeds its limit. Nothing was truncated or written."),
    415: (("invalid_arguments",), "Send the arguments as application/json."),
    500: (("fault",), "The service failed for a reason that its operator must mend. Do not send the call again."),
    503: (
        ("unavailable",),
        "A store did not answer in time. With an idempotency key, the same call can be sent again: it has one effect.",
    ),
}
# Errors that API Gateway can send itself, before or instead of a function.
_GATEWAY: Final = (401, 403, 404, 413, 503)
# Errors that can reach a Bedrock agent. It does not choose methods or media types.
_BEDROCK: Final = (400, 403, 404, 409, 413, 500, 503)


def of_the_http_api(tools: Iterable[AnyTool]) -> dict[str, Any]:
    """The HTTP API that template.yaml makes."""
    tools = list(tools)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "memtools",
            "version": _VERSION,
            "description": "Memory for LLM agents. Each tool is one POST. The caller's identity decides whose"
            " memory is used, never an argument.",
        },
        "servers": [
            {
                "url": "https://{api}.execute-api.{region}.amazonaws.com",
                "description": "The output ApiUrl of template.yaml",
                "variables": {"api": {"default": "api-id"}, "region": {"default": "us-east-1"}},
            }
        ],
        "security": [{"sigv4": []}, {"jwt": []}],
        "paths": {f"/tools/{tool.name}": {"post": _operation(tool)} for tool in tools},
        "components": {
            "schemas": {**_models(tools), "Problem": _problem(), "Refusal": _refusal()},
            "responses": {**{_name(status): _error(status) for status in ERRORS}, _name(429): _throttled()},
            "parameters": _headers(),
            "securitySchemes": _security(),
        },
    }


def _operation(tool: AnyTool) -> dict[str, Any]:
    return {
        "operationId": tool.name,
        "summary": tool.description.partition(". ")[0] + ".",
        "description": tool.description,
        "parameters": [{"$ref": f"{_COMPONENTS}/parameters/{name}"} for name in _headers()],
        "requestBody": {
            "description": f"The arguments of {tool.name}",
            "required": any(field.is_required() for field in tool.arguments.model_fields.values()),
            "content": _content(_JSON, _reference(tool.arguments.__name__)),
        },
        "responses": {
            "200": {"description": "Done", "content": _content(_JSON, _reference(tool.reply.__name__))},
            **{str(status): {"$ref": f"{_COMPONENTS}/responses/{_name(status)}"} for status in sorted([*ERRORS, 429])},
        },
    }


def _content(media_type: str, schema: Schema) -> dict[str, Any]:
    return {media_type: {"schema": schema}}


def _reference(model: str) -> Schema:
    return {"$ref": f"{_COMPONENTS}/schemas/{model}"}


def _models(tools: list[AnyTool]) -> dict[str, Schema]:
    """The models of arguments and replies, and their parts, by name."""
    _, schema = models_json_schema(
        [(tool.arguments, "validation") for tool in tools] + [(tool.reply, "serialization") for tool in tools],
        ref_template=f"{_COMPONENTS}/schemas/{{model}}",
    )
    return {name: tidy(model, {}) for name, model in sorted(schema["$defs"].items())}


def _problem() -> Schema:
    codes = sorted({code for codes, _ in ERRORS.values() for code in codes})
    return {
        "type": "object",
        "description": "An error (RFC 9457)",
        "properties": {
            "type": {"type": "string", "format": "uri", "description": "urn:memtools:error:<code>"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "For the model: what was wrong, and what to do next."},
            "code": {"type": "string", "enum": codes},
            "details": {"type": "object", "description": "For programs: the data of the error."},
        },
        "required": ["type", "title", "status", "detail", "code", "details"],
        "additionalProperties": False,
    }


def _refusal() -> Schema:
    return {
        "type": "object",
        "description": "An error of API Gateway itself",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    }


def _error(status: int) -> dict[str, Any]:
    codes, why = ERRORS[status]
    said = {"properties": {"status": {"const": status}, "code": {"enum": list(codes)}}}
    content = _content(_PROBLEM, {"allOf": [_reference("Problem"), said]})
    if status in _GATEWAY:
        content |= _content(_JSON, _reference("Refusal"))
    response = {"description": f"{', '.join(f'`{code}`' for code in codes)}. {why}", "content": content}
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        after = {"description": "Seconds to wait", "schema": {"type": "integer"}}
        response["headers"] = {"Retry-After": after}
    return response


def _throttled() -> dict[str, Any]:
    return {"description": "Too many requests.", "content": _content(_JSON, _reference("Refusal"))}


def _name(status: int) -> str:
    return f"Error{status}"


def _headers() -> dict[str, Any]:
    whose = "Only for signed requests; with a token, the user is its `sub` and the agent is the deployment's."
    scope = {
        kind: {
            "name": f"x-memory-{kind.lower()}",
            "in": "header",
            "required": False,
            "description": f"The {kind.lower()} whose memory to use. {whose}",
            "schema": {"type": "string"},
        }
        for kind in ("Agent", "User")
    }
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "A name for this call, the same whenever it is sent again: it then has one effect. The same key"
        " with other arguments is `invalid_arguments`.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-+\\--~]+$"},
    }
    return {**scope, "IdempotencyKey": key}


def _security() -> dict[str, Any]:
    return {
        "sigv4": {
            "type": "apiKey",
            "name": "Authorization",
            "in": "header",
            "description": "AWS Signature Version 4, service execute-api; used if the parameter JwtIssuer is empty.",
            "x-amazon-apigateway-authtype": "awsSigv4",
        },
        "jwt": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "A token of JwtIssuer for JwtAudience; `sub` is the user.",
        },
    }


def for_bedrock(tools: Iterable[AnyTool]) -> dict[str, Any]:
    """The apiSchema for action groups of a Bedrock agent, which allows only simple keywords and no references."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "memtools", "version": _VERSION, "description": "Memory for LLM agents"},
        "paths": {f"/tools/{tool.name}": {"post": _bedrock_operation(tool)} for tool in tools},
    }


def _bedrock_operation(tool: AnyTool) -> dict[str, Any]:
    arguments = plain(arguments_of(tool))
    errors = {str(status): {"description": ERRORS[status][1], "content": _bedrock_error()} for status in _BEDROCK}
    reply = _single(reply_of(tool))
    return {
        "operationId": tool.name,
        "description": tool.description,
        "requestBody": {
            "description": f"The arguments of {tool.name}",
            "required": "required" in arguments,
            "content": _content(_JSON, arguments),
        },
        "responses": {"200": {"description": "Done", "content": _content(_JSON, plain(reply))}, **errors},
    }


def _single(node: Schema) -> Schema:
    """If a part of a reply has several types, describe it as text, which is how replies reach the agent."""
    if "anyOf" in node:
        types = " or ".join(branch["type"] for branch in node["anyOf"])
        return {"type": "string", "description": f"{node.get('description', '')} ({types})".strip()}
    parts = {name: _single(part) for name, part in node.get("properties", {}).items()}
    return {
        **node,
        **({"properties": parts} if parts else {}),
        **({"items": _single(node["items"])} if "items" in node else {}),
    }


def _bedrock_error() -> dict[str, Any]:
    names = ("code", "message")
    return _content(_JSON, {"type": "object", "properties": {name: {"type": "string"} for name in names}})
