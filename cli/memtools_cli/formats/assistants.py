"""Exports of ChatGPT and Claude. Only what the assistant itself remembered is taken, conversations are never mined."""

from typing import Any, Final

from memtools_cli.formats import notes
from memtools_cli.formats.plan import Plan
from memtools_cli.formats.values import Values

_PROSE: Final = "conversations_memory"
_PROJECTS: Final = "project_memories"


def read_chatgpt(values: Values, plan: Plan) -> None:
    """A fact for each message that ChatGPT sent to its memory, which it calls `bio`, with its day."""
    plan.understood.append("Taken is what ChatGPT wrote to its memory; the export does not say what it still holds")
    number = 0
    for _, value in values:
        for conversation in value if isinstance(value, list) else [value]:
            mapping = conversation.get("mapping") if isinstance(conversation, dict) else None
            for node in mapping.values() if isinstance(mapping, dict) else ():
                message = node.get("message") if isinstance(node, dict) else None
                if isinstance(message, dict) and message.get("recipient") == "bio":
                    number += 1
                    _noted(f"memory {number}", message, plan)


def _noted(what: str, message: dict[str, Any], plan: Plan) -> None:
    match message.get("content"):
        case {"parts": list(parts)} if all(isinstance(part, str) for part in parts):
            plan.add_fact("".join(parts), what=what, of="memory", occurred=message.get("create_time"))
        case _:
            plan.leave(what, "it has no text")


def read_claude(values: Values, plan: Plan) -> None:
    """A fact for each paragraph of the memory, which is prose, and of those of projects."""
    for what, value in values:
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, dict):
                plan.leave(what, "it is no memory of Claude")
                continue
            if isinstance(text := one.get(_PROSE), str):
                notes.read(text, plan, name="memory")
            projects = one.get(_PROJECTS)
            for name, text in projects.items() if isinstance(projects, dict) else ():
                if isinstance(text, str):
                    notes.read(text, plan, name=f"project {name}", tags=("project",))
                else:
                    plan.leave(f"project {name}", "it has no text")
            plan.leave_fields(what, one, (_PROSE, _PROJECTS, "account_uuid"))
