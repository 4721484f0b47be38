"""A folder: persona documents as they are, any other text in it as facts."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memtools.domain.document import FILES, SOUL

from memtools_cli.failures import BadUsage, Failure
from memtools_cli.files import read_found_text
from memtools_cli.formats import front_matter, notes, plain
from memtools_cli.formats.blocks import LONGEST, TOO_LONG
from memtools_cli.formats.plan import Plan

_TEXT: Final = (".md", ".markdown", ".txt")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}.*")
_SECTION: Final = re.compile(r"^[ \t]*§[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_MOST_FILES: Final = 20_000
# Where the documents of a workspace are: in the folder itself, or in this one.
_PLACES: Final = ("", "memories")


def read(folder: Path, plan: Plan) -> None:
    """Add what the folder and its sub-folders hold; links, devices, pipes and hidden ones are named and not read."""
    for number, (name, reason) in enumerate(_walk(folder, "")):
        if number >= _MOST_FILES:
            raise BadUsage(f"{folder} has more than {_MOST_FILES} files. Import it folder by folder.")
        if reason:
            plan.leave(name, reason)
            continue
        try:
            text = read_found_text(folder / name)
        except Failure as error:
            plan.leave(name, error.message.removeprefix(f"{folder / name} ").rstrip("."))
            continue
        _add(name, text, plan)


def add_file(name: str, text: str, plan: Plan) -> None:
    """Add a single file of Markdown or plain text."""
    _add(name, text, plan, single=True)


def _add(name: str, text: str, plan: Plan, *, single: bool = False) -> None:
    place, _, base = name.rpartition("/")
    targets = {file: target.value for target, file in FILES.items()}
    if place in _PLACES and base in targets and targets[base] not in plan.documents:
        if len(text) > LONGEST:
            plan.leave(name, TOO_LONG)
        elif document := document_of(name, text, plan):
            plan.documents[targets[base]] = document
            plan.taken[base, "document"] += 1
        else:
            plan.leave(name, "it is blank")
    elif not place and base in SOUL:
        plan.agent_documents[base] = text
        plan.taken[base, "document of the agent"] += 1
    elif plain.matches(text):
        plain.read(text, plan)
    else:
        stem = base.rpartition(".")[0]
        tags = () if single or _DAY.fullmatch(stem) else (stem[:100],)
        notes.read(text, plan, name=name, tags=tags)


def document_of(name: str, text: str, plan: Plan) -> str:
    """The document's text: as it is, without front matter; parts between lines `§` are its entries."""
    front, body = front_matter.split(text)
    for key in front:
        plan.leave(f"{name}, front matter `{key}`", "front matter is not kept, but for tags and the date")
    parts = [part.strip() for part in _SECTION.split(body)]
    if len(parts) > 1:
        return "".join("- " + part.replace("\n", "\n  ") + "\n" for part in parts if part)
    return body if body.strip() else ""


def _walk(folder: Path, under: str) -> Iterator[tuple[str, str]]:
    """The files by their path in the folder, each with why it is not read, empty where it is."""
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        yield under or str(folder), f"it cannot be read ({error.strerror})"
        return
    for path in paths:
        name = f"{under}{path.name}"
        mode = path.lstat().st_mode
        if path.name.startswith("."):
            yield name, "it is hidden"
        elif stat.S_ISDIR(mode):
            if path.name in SOUL:
                yield name, "it is a folder, not a file"
            yield from _walk(path, f"{name}/")
        elif not stat.S_ISREG(mode):
            yield name, "it is a link, a device or a pipe, not a file"
        else:
            yield name, "" if path.suffix.lower() in _TEXT else "it is no Markdown or plain text"
