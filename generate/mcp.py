"""The tools as MCP lists them, which the layer carries as a file: listing them imports no tool."""

import tomllib
from pathlib import Path
from typing import Any, Final

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool

from generate.exports import as_text
from generate.schemas import Schema, arguments_of, reply_of

_PROJECT: Final = Path(__file__).parents[1] / "pyproject.toml"
# A tool checks and fills in these itself, and says what is allowed. Here they would cost a tenth of the tokens in every
# prompt.
_CHECKED: Final = (
    "additionalProperties",
    "default",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
)
# Clients check replies, but one that is too large is shortened, and a later version may say more.
_BINDING: Final = ("additionalProperties", "required")


def text() -> str:
    """The text of the file."""
    version = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]["version"]
    return as_text({"version": version, "tools": [_listed(tool) for tool in TOOLS.values()]})


def _listed(tool: AnyTool) -> dict[str, Any]:
    changes = tool.reply.changes
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": _without(_CHECKED, arguments_of(tool)),
        "outputSchema": _without(_BINDING, reply_of(tool)),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": not changes,
            "destructiveHint": changes and not tool.only_adds,
            "idempotentHint": tool.repeatable,
            "openWorldHint": False,
        },
    }


def _without(keywords: tuple[str, ...], node: Any) -> Any:
    """The schema without these keywords."""
    if isinstance(node, list):
        return [_without(keywords, part) for part in node]
    if not isinstance(node, dict):
        return node
    kept: Schema = {}
    for name, part in node.items():
        if name == "properties":
            kept[name] = {key: _without(keywords, schema) for key, schema in part.items()}
        elif name not in keywords:
            kept[name] = _without(keywords, part)
    return kept
