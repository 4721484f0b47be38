"""A folder of persona documents: MEMORY.md and USER.md entry by entry, SOUL.md and the like as they are."""

import re
from pathlib import Path
from typing import Final

from memtools.domain.document import FILES, SOUL
from memtools.domain.editing import entries

from memtools_cli.failures import BadUsage
from memtools_cli.files import read_found_text
from memtools_cli.formats.plan import Plan

_BULLET: Final = re.compile(r"[-*+][ \t]")
_HEADING: Final = re.compile(r"#{1,6}\s")
_FENCE: Final = re.compile(r"```|~~~")


def read(folder: Path) -> Plan:
    """The plan for the folder's files. Raises Failure where it is not a folder, or holds nothing to import."""
    if not folder.is_dir():
        raise BadUsage(f"{folder} is not a folder.")
    targets = {name: target.value for target, name in FILES.items()}
    plan = Plan()
    for file in sorted(folder.glob("*.md")):
        if file.name in targets:
            for text in texts_of(read_found_text(file)):
                plan.add_entry(targets[file.name], text)
        elif file.name in SOUL:
            plan.agent_documents[file.name] = read_found_text(file)
        else:
            plan.left_out.append(f"{file.name}: no tool reads a document of this name")
    if not plan.calls and not plan.agent_documents:
        raise BadUsage(f"{folder} holds nothing to import; documents are named {', '.join(SOUL)}.")
    return plan


def texts_of(text: str) -> list[str]:
    """The document as entries: its own, and one for each heading and paragraph between them."""
    found: list[str] = []
    for block in _blocks(text.replace("\r\n", "\n")):
        if _BULLET.match(block[0]):
            found += entries("\n".join(block))
        else:
            found.append(_HEADING.sub("", "\n".join(block), count=1).strip())
    return [one for one in found if one.strip()]


def _blocks(text: str) -> list[list[str]]:
    """The lines in blocks: a list, a heading, a paragraph, a fenced piece of code."""
    blocks: list[list[str]] = [[]]
    fenced = False
    for line in text.split("\n"):
        last = blocks[-1]
        if not fenced and not _belongs(line, last):
            blocks.append([])
        blocks[-1].append(line)
        if _FENCE.match(line):
            fenced = not fenced
    return [block for block in blocks if any(line.strip() for line in block)]


def _belongs(line: str, block: list[str]) -> bool:
    """Whether the line continues the block."""
    if not block or _HEADING.match(block[0]) or _HEADING.match(line):
        return False
    in_list, blank = bool(_BULLET.match(block[0])), not line.strip()
    if in_list:
        return blank or line.startswith("  ") or bool(_BULLET.match(line)) or bool(block[-1].strip())
    return bool(block[-1].strip()) and not blank and not _BULLET.match(line)
