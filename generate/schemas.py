"""A tool's pydantic models as JSON Schema: whole, or in the few words that a narrower schema language knows."""

import re
from collections.abc import Mapping
from typing import Any, Final

from memtools.tools.tool import AnyTool

Schema = dict[str, Any]

_NULL: Final = {"type": "null"}
# pydantic puts bounds that follow a validator under the names of Python's operators.
_RENAMED: Final = {"ge": "minimum", "le": "maximum"}
# A lower bound of one goes without saying.
_BOUNDS: Final = (
    ("minimum", 2, "At least {}."),
    ("maximum", 0, "At most {}."),
    ("minLength", 2, "At least {} characters."),
    ("maxLength", 0, "At most {} characters."),
    ("minItems", 2, "At least {}."),
    ("maxItems", 0, "At most {}."),
)


def arguments_of(tool: AnyTool) -> Schema:
    """What the tool takes, in one piece: no reference, no null, no title."""
    return _in_one_piece(tool.arguments.model_json_schema())


def reply_of(tool: AnyTool) -> Schema:
    """What the tool answers, in one piece."""
    return _in_one_piece(tool.reply.model_json_schema(mode="serialization"))


def _in_one_piece(schema: Schema) -> Schema:
    shared = schema.pop("$defs", {})
    schema.pop("description", None)  # the tool has one, and it says more
    return tidy(schema, shared)


def tidy(node: Schema, shared: Mapping[str, Schema]) -> Schema:
    """The node without titles and nulls, and with what it refers to in ``shared`` put in its place."""
    name = node.get("$ref", "").rpartition("/")[2]
    if name in shared:
        return tidy({**shared[name], **_without(node, "$ref")}, shared)
    branches = [branch for branch in node.get("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:
        return tidy({**branches[0], **_without(node, "anyOf")}, shared)
    tidied: Schema = {}
    for word, value in _without(node, "title").items():
        match word:
            case "properties":
                tidied[word] = {key: tidy(property_, shared) for key, property_ in value.items()}
            case "items":
                tidied[word] = tidy(value, shared)
            case "anyOf":
                tidied[word] = [tidy(branch, shared) for branch in branches]
            case "default" if value is None:
                pass
            case _:
                tidied[_RENAMED.get(word, word)] = value
    return tidied


def _without(node: Schema, word: str) -> Schema:
    return {key: value for key, value in node.items() if key != word}


def plain(node: Schema) -> Schema:
    """The node in type, properties, required, items and description alone; the latter tells the rest.

    Raises ValueError for a node of several types, which these words cannot say.
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
    """The node's description, with what only its other words say: allowed values, bounds, the default."""
    description = str(node.get("description", ""))
    return " ".join(filter(None, (description, *_notes(node, description))))


def _notes(node: Schema, said: str) -> list[str]:
    notes = []
    values = [f"`{value}`" for value in node.get("enum", ())]
    if not all(value in said for value in values):
        notes.append(f"One of {', '.join(values)}.")
    for word, least, text in _BOUNDS:
        bound = node.get(word)
        if bound is not None and bound >= least and not re.search(rf"\b{bound}\b", said):
            notes.append(text.format(bound))
    if node.get("default"):
        notes.append(f"Default: `{node['default']}`.")
    return notes
