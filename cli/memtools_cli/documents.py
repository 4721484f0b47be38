"""MEMORY.md and USER.md, into a memory through its tools: the text to the byte, and all documents or none.

No tool writes a whole document or says how much one may hold. So a text replaces the whole text that is there, which
the tool does at once or not at all; and where a later document has no room, the earlier ones get their text back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memtools_cli.failures import Failure
from memtools_cli.formats.blocks import Block, blocks_of

Call = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
# What stands in an empty document until its text replaces it: a text to replace may not be empty.
_PLACE: Final = "(an import writes this document)"


@dataclass(frozen=True, slots=True)
class Written:
    """A document that was written: its text before and after."""

    target: str
    before: str
    after: str


def write(call: Call, documents: Mapping[str, str]) -> dict[str, int]:
    """Add the documents' texts; how many blocks were new, and how many known. Raises Failure and changes nothing."""
    counts = {"entries": 0, "knownEntries": 0}
    done: list[Written] = []
    try:
        for target, text in documents.items():
            current = str(call("memory_read", {"target": target})["text"])
            before = current.replace(f"- {_PLACE}\n", "", 1)
            after, new, known = combined(before, text)
            counts["entries"] += new
            counts["knownEntries"] += known
            if after != current:
                done.append(Written(target, before, after))
                _replace(call, target, current, after)
    except Failure:
        for one in reversed(done):
            _restore(call, one)
        raise
    return counts


def combined(before: str, text: str) -> tuple[str, int, int]:
    """The document with what is new in ``text``, under its headings; how many blocks are new, and how many known.

    Ends of lines are written as line feeds: the tool gives them the form that the document has.
    """
    text = _unified(text)
    blocks = [block for block in blocks_of(text) if block.kind not in ("heading", "rule")]
    if not before.strip():
        return text, len(blocks), 0
    there = {_key(block) for block in blocks_of(before)}
    within = f"\n{_unified(before)}\n"
    # A block may be one with its neighbour there, so its lines count too.
    new = [block for block in blocks if _key(block) not in there and f"\n{block.source}\n" not in within]
    if not new:
        return before, 0, len(blocks)
    headings = {block.text: block.source for block in blocks_of(text) if block.kind == "heading"}
    parts = [before.rstrip("\r\n")]
    kind, heading = blocks_of(before)[-1].kind, ""
    for block in new:
        if block.heading and block.heading != heading:
            parts.append(f"\n{headings[block.heading]}\n")
            kind, heading = "heading", block.heading
        parts.append(block.source if kind == block.kind == "item" or kind == "heading" else f"\n{block.source}")
        kind = block.kind
    return "\n".join(parts) + "\n", len(new), len(blocks) - len(new)


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _key(block: Block) -> str:
    return " ".join(block.text.split())


def _replace(call: Call, target: str, current: str, after: str) -> None:
    """Replace the whole text, unless somebody has changed it meanwhile."""
    if not current:
        current = str(call("memory_edit", {"action": "add", "target": target, "text": _PLACE})["text"])
    call("memory_edit", {"action": "replace", "target": target, "text": current, "with": after})


def _restore(call: Call, written: Written) -> None:
    """Put the text back, if the document holds what was written; another writer's text is left alone."""
    current = str(call("memory_read", {"target": written.target})["text"])
    if _unified(current) in (_unified(written.after), f"- {_PLACE}\n"):
        call("memory_edit", {"action": "replace", "target": written.target, "text": current, "with": written.before})
