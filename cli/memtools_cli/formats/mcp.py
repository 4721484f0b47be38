"""The file of the MCP memory server (@modelcontextprotocol/server-memory): each line is an entity or a relation."""

from typing import Any

from memtools_cli.formats.plan import Plan


def read(values: list[Any]) -> Plan:
    """A fact for each observation and relation. Raises ValueError for a line that the server would not write."""
    plan = Plan()
    for number, value in enumerate(values, 1):
        match value:
            case {"type": "entity", "name": str(name), "entityType": str(kind), "observations": list(seen)} if all(
                isinstance(one, str) for one in seen
            ):
                for text in seen or [kind]:
                    plan.add_fact(f"{name} ({kind}): {text}" if seen else f"{name} ({kind})", [kind])
            case {"type": "relation", "from": str(one), "to": str(other), "relationType": str(kind)}:
                plan.add_fact(f"{one} {kind.replace('_', ' ')} {other}", [])
            case _:
                raise ValueError(f"line {number} is neither an entity nor a relation")
    return plan
