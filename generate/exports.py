"""The catalogue in its consumers' formats: tool lists to paste, and descriptions of the API.

No function imports this.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool

from generate import openapi as documents
from generate.schemas import arguments_of, described, plain

Tools = Iterable[AnyTool]

# Each function in the template is one action group of an agent, and one target of a gateway.
FUNCTIONS: Final = {
    "search": "Searches, lists and reads memory",
    "add": "Adds new facts to memory",
    "edit": "Edits persona documents; corrects, deletes and restores memories",
    "merge": "Merges duplicate memories, and undoes merges",
}

# [M] How many parameters Bedrock allows in a function. The quota can be raised, and no service model states it.
MAX_PARAMETERS: Final = 5
# The optional arguments that are left out of a tool with more than that, and why: {tool: {argument: why}}.
LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    "memory_search": {
        "explain": "It is for programs, and Bedrock allows no more parameters than the others.",
        "limit": "The default is enough, because only what is relevant is returned.",
        "tokenBudget": "An application that counts tokens calls the function itself.",
        "anyTags": "Several searches by `tags` find the same.",
        "withoutTags": "It only leaves out what the model can leave out itself.",
    }
}


def as_text(export: Any) -> str:
    """The export as text, as it is printed and committed."""
    return json.dumps(export, ensure_ascii=False, indent=2) + "\n"


def tools_of(function: str | None) -> list[AnyTool]:
    """The tools of one function, or all."""
    return [tool for tool in TOOLS.values() if function in (None, tool.function)]


def bedrock_functions(tools: Tools, left_out: Mapping[str, Mapping[str, str]] = LEFT_OUT) -> list[dict[str, Any]]:
    """Action groups with function details, as CreateAgentActionGroup accepts them."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for tool in tools:
        groups.setdefault(tool.function, []).append(_bedrock_function(tool, left_out.get(tool.name, {})))
    return [
        {
            "actionGroupName": f"memory-{function}",
            "description": FUNCTIONS[function],
            "functionSchema": {"functions": functions},
        }
        for function, functions in groups.items()
    ]


def _bedrock_function(tool: AnyTool, left_out: Mapping[str, str]) -> dict[str, Any]:
    schema = arguments_of(tool)
    required = schema.get("required", [])
    kept = {name: node for name, node in schema["properties"].items() if name not in left_out}
    if len(kept) > MAX_PARAMETERS or set(required) - set(kept):
        raise ValueError(
            f"Bedrock allows {MAX_PARAMETERS} parameters in a function, and {tool.name} has {len(kept)}: list in"
            " LEFT_OUT which optional ones to leave out, and why"
        )
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": {
            name: {"type": node["type"], "description": _parameter(node), "required": name in required}
            for name, node in kept.items()
        },
    }


def _parameter(node: dict[str, Any]) -> str:
    """The description. An array's also has the type of its items, for which a parameter has no field."""
    return (
        f"{described(node)} A JSON array of {node['items']['type']}s." if node["type"] == "array" else described(node)
    )


def agentcore(tools: Tools) -> list[dict[str, Any]]:
    """Tools as a gateway's Lambda target accepts them inline."""
    return [
        {"name": tool.name, "description": tool.description, "inputSchema": plain(arguments_of(tool))} for tool in tools
    ]


def openai(tools: Tools) -> list[dict[str, Any]]:
    """Tools for OpenAI's chat completions, and for APIs that are compatible with them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": arguments_of(tool)},
        }
        for tool in tools
    ]


def anthropic(tools: Tools) -> list[dict[str, Any]]:
    """Tools for Anthropic's Messages API."""
    return [{"name": tool.name, "description": tool.description, "input_schema": arguments_of(tool)} for tool in tools]


def converse(tools: Tools) -> dict[str, Any]:
    """The tool configuration for Bedrock's Converse API."""
    return {
        "tools": [
            {
                "toolSpec": {
                    "name": tool.name,
                    "description": tool.description,
                    "inputSchema": {"json": arguments_of(tool)},
                }
            }
            for tool in tools
        ]
    }


FORMATS: Final[Mapping[str, Callable[[Tools], Any]]] = {
    "bedrock-functions": bedrock_functions,
    "bedrock-openapi": documents.for_bedrock,
    "agentcore": agentcore,
    "openapi": documents.of_the_http_api,
    "openai": openai,
    "anthropic": anthropic,
    "converse": converse,
}

# What a format cannot express, or leaves to its reader.
_NOTES: Final = {
    "bedrock-functions": "A parameter has only a type and a description, so the description has allowed values, limits,"
    " defaults and the type of array items.",
    "bedrock-openapi": "One document serves one action group, with one Lambda function: use --function.",
    "agentcore": "A node has only type, properties, required, items and description, so the description has allowed"
    " values, limits and defaults. There is no outputSchema: a client would validate replies against it, and an error"
    " would fail.",
    "openapi": "OpenAPI has no scheme for SigV4, so it is described as the Authorization header.",
}


def explain(form: str, tools: Tools) -> dict[str, Any]:
    """What the export leaves out, and why."""
    reasons = LEFT_OUT if form == "bedrock-functions" else {}
    left_out = [
        {"tool": tool.name, "argument": argument, "why": why}
        for tool in tools
        for argument, why in reasons.get(tool.name, {}).items()
    ]
    return {"format": form, "leftOut": left_out, "note": _NOTES.get(form, "Nothing is left out.")}
