"""A tool's pydantic models as JSON Schema: complete, or with only the keywords of a narrower schema language."""

import re
from collections.abc import Mapping
from typing import Any, Final

from memtools.tools.tool import AnyTool

Schema = dict[str, Any]

_NULL: Final = {"type": "null"}
# pydantic names bounds that follow a validator after Python's operators.
_RENAMED: Final = {"ge": "minimum", "le": "maximum"}
# A lower bound of one is obvious.
_BOUNDS: Final = (
    ("minimum", 2, "At least {}."),
    ("maximum", 0, "At most {}."),
    ("minLength", 2, "At least {} characters."),
    ("maxLength", 0, "At most {} characters."),
    ("minItems", 2, "At least {}."),
    ("maxItems", 0, "At most {}."),
)


def arguments_of(tool: AnyTool) -> Schema:
    """The schema of the arguments in one piece: without references, nulls and titles."""
    return _in_one_piece(tool.arguments.model_json_schema())


def reply_of(tool: AnyTool) -> Schema:
    """The schema of the reply in one piece."""
    return _in_one_piece(tool.reply.model_json_schema(mode="serialization"))


def _in_one_piece(schema: Schema) -> Schema:
    shared = schema.pop("$defs", {})
    schema.pop("description", None)  # the tool's own description says more
    return tidy(schema, shared)


def tidy(node: Schema, shared: Mapping[str, Schema]) -> Schema:
    """The node without titles and nulls, and with references to ``shared`` replaced by what they refer to."""
    name = node.get("$ref", "").rpartition("/")[2]
    if name in shared:
        return tidy({**shared[name], **_without(node, "$ref")}, shared)
    branches = [branch for branch in node.get("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:
        return tidy({**branches[0], **_without(node, "anyOf")}, shared)
    tidied: Schema = {}
    for keyword, value in _without(node, "title").items():
        match keyword:
            case "properties":
                tidied[keyword] = {key: tidy(property_, shared) for key, property_ in value.items()}
            case "items":
                tidied[keyword] = tidy(value, shared)
            case "anyOf":
                tidied[keyword] = [tidy(branch, shared) for branch in branches]
            case "default" if value is None:
                pass
            case _:
                tidied[_RENAMED.get(keyword, keyword)] = value
    return tidied


def _without(node: Schema, keyword: str) -> Schema:
    return {key: value for key, value in node.items() if key != keyword}


def plain(node: Schema) -> Schema:
    """The node with only type, properties, required, items and description, which contains everything else.

    Raises ValueError for a node with several types, which these keywords cannot express.
    """
    if "type" not in node:
        raise ValueError(f"a node has no single type: {node}")
    said: Schema = {"type": node["type"]}
    if description := described(node):
        said["description"] = description
    if "properties" in node:
        said["properties"] = {name: plain(property_) for name, property_ in node["properties"].items()}
    if node.get("required"):
        said["required"] = node["required"]
    if "items" in node:
        said["items"] = plain(node["items"])
    return said


def described(node: Schema) -> str:
    """The node's description, with what only its other keywords say: allowed values, bounds, the default."""
    description = str(node.get("description", ""))
    return " ".join(filter(None, (description, *_notes(node, description))))


def _notes(node: Schema, said: str) -> list[str]:
    notes = []
    values = [f"`{value}`" for value in node.get("enum", ())]
    if not all(value in said for value in values):
        notes.append(f"One of {', '.join(values)}.")
    for keyword, least, text in _BOUNDS:
        bound = node.get(keyword)
        if bound is not None and bound >= least and not re.search(rf"\b{bound}\b", said):
            notes.append(text.format(bound))
    if node.get("default"):
        notes.append(f"Default: `{node['default']}`.")
    return notes
