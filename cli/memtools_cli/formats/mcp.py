"""The file of the MCP memory server (@modelcontextprotocol/server-memory): a line an entity or a relation."""

from typing import Any

from memtools_cli.formats.found import Found


def read(values: list[Any]) -> Found:
    """A fact an observation and a relation. Raises ValueError for a line that the server would not have written."""
    found = Found()
    for number, value in enumerate(values, 1):
        match value:
            case {"type": "entity", "name": str(name), "entityType": str(kind), "observations": list(seen)} if all(
                isinstance(one, str) for one in seen
            ):
                for text in seen or [kind]:
                    found.fact(f"{name} ({kind}): {text}" if seen else f"{name} ({kind})", [kind])
            case {"type": "relation", "from": str(one), "to": str(other), "relationType": str(kind)}:
                found.fact(f"{one} {kind.replace('_', ' ')} {other}", [])
            case _:
                raise ValueError(f"line {number} is neither an entity nor a relation")
    return found
