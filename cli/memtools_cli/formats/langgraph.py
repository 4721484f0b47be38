"""Items of a LangGraph store as JSON: namespace, key, value and times, in a list or one a line."""

import json
from typing import Any, Final

from memtools_cli.formats.plan import Plan
from memtools_cli.formats.values import Values

_TEXT: Final = ("content", "text", "memory", "data")


def read(values: Values, plan: Plan) -> None:
    """A fact for each item, the parts of its namespace as tags."""
    for what, value in values:
        items = value if isinstance(value, list) else [value]
        for number, item in enumerate(items, 1):
            _take(f"item {number}" if isinstance(value, list) else what, item, plan)


def _take(what: str, item: Any, plan: Plan) -> None:
    match item:
        case {"namespace": list(namespace), "value": dict(value)}:
            plan.leave_fields(what, item, ("namespace", "key", "value", "created_at", "updated_at", "score"))
            text = _text_of(what, value, plan)
            plan.add_fact(text, what=what, of="item", tags=namespace, occurred=item.get("created_at"))
        case _:
            plan.leave(what, "it has no namespace and value")


def _text_of(what: str, value: dict[str, Any], plan: Plan) -> str:
    """The value's text; where it has none, the value as JSON. LangMem puts it one level deeper."""
    for name in _TEXT:
        match value.get(name):
            case str(text):
                plan.leave_fields(what, value, (name,))
                return text
            case dict(inner) if name == "content":
                plan.leave_fields(what, value, ("content", "kind"))
                return _text_of(what, inner, plan)
    return json.dumps(value, ensure_ascii=False) if value else ""
