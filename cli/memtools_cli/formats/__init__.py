"""Memories that other programs wrote, as calls of the tools: so that all rules of theirs hold."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from memtools_cli.failures import bad_usage
from memtools_cli.files import read_text
from memtools_cli.formats import markdown, mcp, mem0
from memtools_cli.formats.found import Found

OWN: Final = "memtools"
# By the name of the format: from the values of a file (a JSON document, or one a line) to what was found in them.
_READERS: Final[Mapping[str, Callable[[list[Any]], Found]]] = {"mem0": mem0.read, "mcp": mcp.read}
FORMATS: Final = (OWN, "markdown", *_READERS)


def format_of(path: Path) -> str:
    """What the file or folder looks like. Raises Failure where that is nothing known."""
    if path.is_dir():
        return "markdown"
    match next(iter(_values(path)), None):
        case {"kind": str()}:
            return OWN
        case {"type": "entity" | "relation"}:
            return "mcp"
        case {"results": list()} | {"memories": list()} | {"memory": str()} | [{"memory": str()}, *_]:
            return "mem0"
    raise bad_usage(
        f"{path} is of no known format ({', '.join(FORMATS)}). Name one with --format to hear what is wrong."
    )


def read(path: Path, kind: str) -> Found:
    """What the file or folder holds. Raises Failure unless all of it is understood."""
    if kind == "markdown":
        return markdown.read(path)
    try:
        return _READERS[kind](_values(path))
    except ValueError as error:
        raise bad_usage(f"{path} is no file of {kind}: {error}.") from None


def _values(path: Path) -> list[Any]:
    """The JSON document that the file is, else those of its lines."""
    text = read_text(path)
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                raise bad_usage(f"{path}, line {number}: no valid JSON.") from None
    return found
