"""What mem0's get_all returns, from its library or its platform, and the memories in OpenMemory's backup."""

from datetime import UTC, datetime
from typing import Any, Final

from memtools_cli.formats.dates import moment_of
from memtools_cli.formats.plan import Plan
from memtools_cli.formats.values import Values

_TAKEN: Final = ("memory", "content", "created_at", "categories", "category_ids", "expiration_date", "user_id", "state")
# What the other program needs for itself, and what says nothing of the memory.
_OWN: Final = ("id", "hash", "updated_at", "score", "app_id", "archived_at", "deleted_at", "owner", "organization")


def read(values: Values, plan: Plan) -> None:
    """A fact for each memory, oldest first, with its day and its categories as tags."""
    memories, names = _memories(values, plan)
    for what, memory in sorted(memories, key=lambda pair: _created(pair[1])):
        _take(what, memory, names, plan)


def _memories(values: Values, plan: Plan) -> tuple[list[tuple[str, Any]], dict[str, str]]:
    """The memories with what to call each, and the categories' names by id."""
    found: list[tuple[str, Any]] = []
    names: dict[str, str] = {}
    for what, value in values:
        match value:
            case {"results": list(memories), **more} | {"memories": list(memories), **more}:
                if more.get("next"):
                    plan.leave("further pages", "this is one of several pages, import each")
                names |= _names(more.get("categories"))
                found += memories
            case list(memories):
                found += memories
            case _:
                found.append((what, value))
    numbered = [one if isinstance(one, tuple) else (f"memory {number}", one) for number, one in enumerate(found, 1)]
    return numbered, names


def _names(categories: Any) -> dict[str, str]:
    some = categories if isinstance(categories, list) else []
    return {one["id"]: str(one.get("name", "")) for one in some if isinstance(one, dict) and "id" in one}


def _created(memory: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(moment_of(memory.get("created_at"))[0])
    except (AttributeError, ValueError):
        return datetime.min.replace(tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _take(what: str, memory: Any, names: dict[str, str], plan: Plan) -> None:
    match memory:
        case {"memory": str(text)} | {"content": str(text)}:
            pass
        case _:
            plan.leave(what, "it has no text under `memory`")
            return
    if (state := memory.get("state") or "active") != "active":
        plan.leave(what, f"it is {str(state)[:40]} there")
        return
    if isinstance(user := memory.get("user_id"), str) and "state" not in memory:  # OpenMemory's is an internal id
        plan.users.add(user)
    plan.leave_fields(what, memory, (*_TAKEN, *_OWN))
    categories = memory.get("categories")
    by_id = [names[one] for one in memory.get("category_ids") or () if isinstance(one, str) and one in names]
    tags = categories if isinstance(categories, list) else by_id
    plan.add_fact(
        text,
        what=what,
        of="memory",
        tags=tags,
        occurred=memory.get("created_at"),
        expires=memory.get("expiration_date"),
    )
