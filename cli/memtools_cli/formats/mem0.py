"""What mem0 tells of its memories: get_all of the library or of the platform, as JSON, or one memory a line."""

from datetime import UTC, datetime
from typing import Any

from memtools_cli.formats.found import Found


def read(values: list[Any]) -> Found:
    """A fact a memory, with the time of its creation, its categories as tags. Raises ValueError for anything else."""
    found = Found()
    memories = _memories(values, found)
    for number, memory in enumerate(memories, 1):
        match memory:
            case {"memory": str(), "user_id": str(user)}:
                found.users.add(user)
            case {"memory": str()}:
                pass
            case _:
                raise ValueError(f"memory {number} has no text under `memory`")
    for number, memory in sorted(enumerate(memories, 1), key=lambda pair: _created(pair[1])):
        _take(memory, number, found)
    return found


def _memories(values: list[Any], found: Found) -> list[Any]:
    match values:
        case [{"results": list(memories), **more}] | [{"memories": list(memories), **more}]:
            if more.get("next"):
                found.left_out.append("further pages: this is one of several, import each")
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


def _take(memory: dict[str, Any], number: int, found: Found) -> None:
    if not memory["memory"].strip():
        found.left_out.append(f"memory {number}: it is blank")
        return
    more = {}
    if end := _moment(memory.get("expiration_date")):
        if end <= datetime.now(UTC):
            found.left_out.append(f"memory {number}: it has expired")
            return
        more["expiresAt"] = end.isoformat()
    if created := _moment(memory.get("created_at")):
        more["occurredAt"] = created.isoformat()
    categories = memory.get("categories")
    tags = [one for one in categories if isinstance(one, str)] if isinstance(categories, list) else []
    found.fact(memory["memory"], tags, **more)
