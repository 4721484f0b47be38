"""Memories that other programs wrote, as calls of the tools, so that the tools' rules hold."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from memtools_cli.failures import BadUsage
from memtools_cli.files import read_text
from memtools_cli.formats import markdown, mcp, mem0
from memtools_cli.formats.plan import Plan

OWN: Final = "memtools"
# By format: what makes a plan of the values of a file (one JSON document, or one a line).
_READERS: Final[Mapping[str, Callable[[list[Any]], Plan]]] = {"mem0": mem0.read, "mcp": mcp.read}
FORMATS: Final = (OWN, "markdown", *_READERS)


def format_of(path: Path) -> str:
    """The format of the file or folder. Raises Failure for an unknown one."""
    if path.is_dir():
        return "markdown"
    match next(iter(_values(path)), None):
        case {"kind": str()}:
            return OWN
        case {"type": "entity" | "relation"}:
            return "mcp"
        case {"results": list()} | {"memories": list()} | {"memory": str()} | [{"memory": str()}, *_]:
            return "mem0"
    raise BadUsage(f"{path} has no known format ({', '.join(FORMATS)}). Name one with --format to see what is wrong.")


def read(path: Path, kind: str) -> Plan:
    """The plan for the file or folder. Raises Failure unless all of it is understood."""
    if kind == "markdown":
        return markdown.read(path)
    try:
        return _READERS[kind](_values(path))
    except ValueError as error:
        raise BadUsage(f"{path} is not a file of {kind}: {error}.") from None


def _values(path: Path) -> list[Any]:
    """The file's JSON document, or else those of its lines."""
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
                raise BadUsage(f"{path}, line {number}: not valid JSON.") from None
    return found
