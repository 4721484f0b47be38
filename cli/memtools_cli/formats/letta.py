"""An agent file of Letta (`.af`), whose blocks are its core memory, and a list of passages of its archive."""

from typing import Any, Final

from memtools_cli.formats import notes
from memtools_cli.formats.plan import Plan
from memtools_cli.formats.values import Values

_OWN: Final = (
    "id", "embedding", "embedding_config", "updated_at", "archive_id", "file_id", "source_id", "organization_id",
    "created_by_id", "last_updated_by_id", "is_deleted",
)  # fmt: skip
_PARTS: Final = ("groups", "files", "sources", "tools", "mcp_servers", "skills")


def read(values: Values, plan: Plan) -> None:
    """A fact for each paragraph of a block, its label as a tag, and one for each passage."""
    for what, value in values:
        match value:
            case {"blocks": list(blocks)}:
                _agent_file(value, blocks, plan)
            case list(passages):
                for number, one in enumerate(passages, 1):
                    _passage(f"passage {number}", one, plan)
            case _:
                _passage(what, value, plan)


def _agent_file(value: dict[str, Any], blocks: list[Any], plan: Plan) -> None:
    for number, block in enumerate(blocks, 1):
        match block:
            case {"label": str(label), "value": str(text)}:
                notes.read(text, plan, name=f"block {label}", tags=(label,))
            case _:
                plan.leave(f"block {number}", "it has no label and value")
    for number, agent in enumerate(value.get("agents") or (), 1):
        if isinstance(agent, dict) and agent.get("messages"):
            plan.leave(f"agent {number}, messages", "conversations are not taken over")
    for part in _PARTS:
        if value.get(part):
            plan.leave(f"`{part}`", "only the agent's memory is taken over")


def _passage(what: str, value: Any, plan: Plan) -> None:
    match value:
        case {"is_deleted": True}:
            plan.leave(what, "it is deleted there")
        case {"text": str(text)}:
            plan.leave_fields(what, value, ("text", "tags", "created_at", *_OWN))
            tags = value.get("tags")
            labels = tags if isinstance(tags, list) else ()
            plan.add_fact(text, what=what, of="passage", tags=labels, occurred=value.get("created_at"))
        case _:
            plan.leave(what, "it has no text under `text`")
