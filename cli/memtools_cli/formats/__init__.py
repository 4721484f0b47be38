"""Memories that other programs wrote, as calls of the tools, so that the tools' rules hold."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from memtools_cli.failures import BadUsage
from memtools_cli.files import is_plain_file, read_text
from memtools_cli.formats import assistants, folder, langgraph, letta, mcp, mem0, plain, table
from memtools_cli.formats.archives import is_zip, read_member
from memtools_cli.formats.plan import Plan
from memtools_cli.formats.values import Values, values_of

OWN: Final = "memtools"
_OWN_START: Final = (b'{"kind":', b'{"kind" :')
_JSON: Final[Mapping[str, Callable[[Values, Plan], None]]] = {
    "mem0": mem0.read,
    "mcp": mcp.read,
    "letta": letta.read,
    "langgraph": langgraph.read,
    "chatgpt": assistants.read_chatgpt,
    "claude": assistants.read_claude,
}
# The first that fits, by the names that only this format has together.
_SHAPES: Final[tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...]] = (
    ("mcp", lambda one: one.get("type") in ("entity", "relation") or {"entities", "relations"} <= one.keys()),
    ("mcp", lambda one: isinstance(one.get("content"), list)),
    ("langgraph", lambda one: {"namespace", "value"} <= one.keys()),
    ("letta", lambda one: {"agents", "blocks"} <= one.keys() or {"text", "created_at"} <= one.keys()),
    ("chatgpt", lambda one: "mapping" in one),
    ("claude", lambda one: bool({"conversations_memory", "project_memories"} & one.keys())),
    ("mem0", lambda one: bool({"results", "memories", "memory"} & one.keys()) or {"content", "state"} <= one.keys()),
)
_TEXT: Final = ("", ".md", ".markdown", ".txt")
FORMATS: Final = (OWN, "markdown", "lines", "csv", *_JSON)


def format_of(path: Path) -> str:
    """The format of the file or folder. Raises Failure for an unknown one."""
    if path.is_dir():
        return "markdown"
    is_plain_file(path)
    if _is_own(path):
        return OWN
    if path.suffix.lower() in (".csv", ".tsv"):
        return "csv"
    text = _text(path)
    values, _ = values_of(text)
    if kind := next((found for _, value in values if (found := _kind(value))), ""):
        return kind
    if not values and plain.matches(text):
        return "lines"
    if not values and path.suffix.lower() in _TEXT:
        return "markdown"
    raise BadUsage(f"{path} has no known format ({', '.join(FORMATS)}). Name one with --format to see what is wrong.")


def read(path: Path, kind: str, columns: Mapping[str, str] | None = None) -> Plan:
    """The plan for the file or folder. Raises Failure where nothing of it can be imported."""
    plan = Plan()
    if path.is_dir():
        if kind != "markdown":
            raise BadUsage(f"{path} is a folder; only --format markdown takes one.")
        folder.read(path, plan)
    else:
        text = _text(path)
        try:
            _read_text(path, text, kind, plan, columns or {})
        except ValueError as error:
            raise BadUsage(f"{path} is not a file of {kind}: {error}.") from None
    if not (plan.calls or plan.documents or plan.agent_documents):
        reasons = "; ".join(map(str, plan.left_out[:3]))
        raise BadUsage(f"{path} holds nothing to import{f': {reasons}' if reasons else ''}.")
    return plan


def _read_text(path: Path, text: str, kind: str, plan: Plan, columns: Mapping[str, str]) -> None:
    match kind:
        case "markdown":
            folder.add_file(path.name, text, plan)
        case "lines":
            plain.read(text, plan)
        case "csv":
            table.read(text, plan, columns)
        case _:
            values, broken = values_of(text)
            if not values:
                raise ValueError("it is not valid JSON")
            plan.left_out += broken
            _JSON[kind](values, plan)


def _kind(value: Any) -> str:
    """The format of a JSON document; empty for an unknown one."""
    first = value[0] if isinstance(value, list) and value else value
    return next((name for name, is_like in _SHAPES if is_like(first)), "") if isinstance(first, dict) else ""


def _is_own(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").startswith(_OWN_START) and path.suffix != ".af"


def _text(path: Path) -> str:
    return read_member(path) if is_zip(path) else read_text(path)
