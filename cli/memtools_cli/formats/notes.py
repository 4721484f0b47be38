"""Markdown that is no document of ours, as facts: each paragraph, item and piece of code, its heading as a tag."""

import re
from typing import Final

from memtools_cli.formats import front_matter
from memtools_cli.formats.blocks import LONGEST, TOO_LONG, blocks_of
from memtools_cli.formats.plan import Plan

_INCLUDE: Final = re.compile(r"@[~\w./\\-]+")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_TAGS: Final = ("tags", "tag")
_DATES: Final = ("date", "created", "created_at")


def read(text: str, plan: Plan, *, name: str = "", tags: tuple[str, ...] = ()) -> None:
    """Add the facts. ``name`` is the file's, whose day they get where it has one."""
    if len(text) > LONGEST:
        plan.leave(name or "text", TOO_LONG)
        return
    front, body = front_matter.split(text)
    skipped = text[: len(text) - len(body)].count("\n")
    where = f"{name}, " if name else ""
    for key in front.keys() - {*_TAGS, *_DATES}:
        plan.leave(f"{where}front matter `{key}`", "front matter is not kept, but for tags and the date")
    given = [tag.removeprefix("#") for key in _TAGS for tag in front.get(key, [])]
    in_name = _DAY.search(name)
    day = next((front[key][0] for key in _DATES if front.get(key)), in_name and in_name[0])
    for block in blocks_of(body):
        what = f"{where}line {block.number + skipped}"
        if block.kind in ("heading", "rule"):
            continue
        if _INCLUDE.fullmatch(block.text):
            plan.leave(what, "another file is included here; it is not read")
            continue
        labels = (*tags, *([block.heading] if block.heading else []), *given)
        plan.add_fact(block.text, what=what, of="paragraph or item", tags=labels, occurred=day)
