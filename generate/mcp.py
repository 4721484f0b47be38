"""The tools as MCP lists them, which the layer carries as a file: listing them imports no tool."""

import tomllib
from pathlib import Path
from typing import Any, Final

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool

from generate.exports import as_text
from generate.schemas import Schema, arguments_of, reply_of

_PROJECT: Final = Path(__file__).parents[1] / "pyproject.toml"


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
        "inputSchema": arguments_of(tool),
        "outputSchema": _open(reply_of(tool)),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": not changes,
            "destructiveHint": changes and not tool.only_adds,
            "idempotentHint": tool.repeatable,
            "openWorldHint": False,
        },
    }


def _open(node: Any) -> Any:
    """The schema of a reply without what it requires and forbids.

    Clients check replies against it, but a reply that is too large is shortened, and a later version may say more.
    """
    if isinstance(node, list):
        return [_open(part) for part in node]
    if not isinstance(node, dict):
        return node
    opened: Schema = {}
    for name, part in node.items():
        if name == "properties":
            opened[name] = {key: _open(schema) for key, schema in part.items()}
        elif name not in ("required", "additionalProperties"):
            opened[name] = _open(part)
    return opened
