"""What mem0's get_all returns, from its library or its platform, as one JSON document or one memory a line."""

from datetime import UTC, datetime
from typing import Any

from memtools_cli.formats.plan import Plan


def read(values: list[Any]) -> Plan:
    """A fact for each memory, with the time of its creation and its categories as tags. Raises ValueError."""
    plan = Plan()
    memories = _memories(values, plan)
    for number, memory in enumerate(memories, 1):
        match memory:
            case {"memory": str(), "user_id": str(user)}:
                plan.users.add(user)
            case {"memory": str()}:
                pass
            case _:
                raise ValueError(f"memory {number} has no text under `memory`")
    for number, memory in sorted(enumerate(memories, 1), key=lambda pair: _created(pair[1])):
        _take(memory, number, plan)
    return plan


def _memories(values: list[Any], plan: Plan) -> list[Any]:
    match values:
        case [{"results": list(memories), **more}] | [{"memories": list(memories), **more}]:
            if more.get("next"):
                plan.left_out.append("further pages: this is one of several, import each")
            return memories
        case [list(memories)]:
            return memories
        case _:
            return values


def _created(memory: Any) -> datetime:
    return _moment(memory.get("created_at")) or datetime.min.replace(tzinfo=UTC)


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _take(memory: dict[str, Any], number: int, plan: Plan) -> None:
    if not memory["memory"].strip():
        plan.left_out.append(f"memory {number}: it is blank")
        return
    more = {}
    if end := _moment(memory.get("expiration_date")):
        if end <= datetime.now(UTC):
            plan.left_out.append(f"memory {number}: it has expired")
            return
        more["expiresAt"] = end.isoformat()
    if created := _moment(memory.get("created_at")):
        more["occurredAt"] = created.isoformat()
    categories = memory.get("categories")
    tags = [one for one in categories if isinstance(one, str)] if isinstance(categories, list) else []
    plan.add_fact(memory["memory"], tags, **more)
