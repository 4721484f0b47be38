"""The file of the MCP memory server, an entity or a relation a line, and what its tool `read_graph` answers."""

import json
from typing import Any, Final

from memtools_cli.formats.plan import Plan
from memtools_cli.formats.values import Values

_ENTITY: Final = ("type", "name", "entityType", "observations")
_RELATION: Final = ("type", "from", "to", "relationType")


def read(values: Values, plan: Plan) -> None:
    """A fact for each observation and relation."""
    for what, value in values:
        _take(what, value, plan)


def _take(what: str, value: Any, plan: Plan) -> None:
    match value:
        case {"content": [{"type": "text", "text": str(text)}, *_]}:  # the tool's answer as MCP wraps it
            try:
                _take(what, json.loads(text), plan)
            except (ValueError, RecursionError):
                plan.leave(what, "the text of this answer is not valid JSON")
        case {"entities": list(entities), "relations": list(relations)}:
            for number, one in enumerate(entities, 1):
                _entity(f"entity {number}", one, plan)
            for number, one in enumerate(relations, 1):
                _relation(f"relation {number}", one, plan)
        case {"type": "entity"}:
            _entity(what, value, plan)
        case _:
            _relation(what, value, plan)


def _entity(what: str, value: Any, plan: Plan) -> None:
    match value:
        case {"name": str(name), "entityType": str(kind), "observations": list(seen)}:
            plan.leave_fields(what, value, _ENTITY)
        case _:
            plan.leave(what, "it is neither an entity nor a relation")
            return
    if not seen:
        plan.add_fact(f"{name} ({kind})", what=what, of="entity", tags=[kind])
    for number, text in enumerate(seen, 1):
        if not isinstance(text, str) or not text.strip():
            plan.leave(f"{what}, observation {number}", "it is blank" if isinstance(text, str) else "it is no text")
        else:
            plan.add_fact(
                f"{name} ({kind}): {text}", what=f"{what}, observation {number}", of="observation", tags=[kind]
            )


def _relation(what: str, value: Any, plan: Plan) -> None:
    match value:
        case {"from": str(one), "to": str(other), "relationType": str(kind)}:
            plan.leave_fields(what, value, _RELATION)
            plan.add_fact(f"{one} {kind.replace('_', ' ')} {other}", what=what, of="relation")
        case _:
            plan.leave(what, "it is neither an entity nor a relation")
