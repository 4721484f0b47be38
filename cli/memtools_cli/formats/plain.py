"""The line form that assistants are asked to write, `[date] - memory`, a memory a line."""

import re
from typing import Final

from memtools_cli.formats.blocks import lines_of
from memtools_cli.formats.plan import Plan

_LINE: Final = re.compile(
    r"[ \t]*(?:(?:[-*+•]|\d{1,4}[.)])[ \t]+)?\[(?P<date>[^\]\r\n]{1,40})\][ \t]*[-–—:][ \t]+(?P<text>\S.*)"
)
_FENCE: Final = re.compile(r"[ \t]{0,3}(```|~~~)")
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)[ \t#]*")


def matches(text: str) -> bool:
    """Whether at least half of the lines that say something have this form."""
    said = [line for line in lines_of(text) if line.strip() and not _FENCE.match(line) and not _HEADING.match(line)]
    inside = _fenced(text)
    some = [line for _, line in inside] if inside else said
    return 2 * sum(bool(_LINE.match(line)) for line in some) >= max(1, len(some))


def read(text: str, plan: Plan) -> None:
    """A fact for each line; an indented line goes on with the one before. Around a piece of code, nothing is taken."""
    lines = list(enumerate(lines_of(text), 1))
    inside = _fenced(text)
    numbers = {number for number, _ in inside}
    heading = ""
    entries: list[tuple[int, str, str, str]] = []  # line, heading, date, text
    for number, line in lines:
        if not line.strip() or _FENCE.match(line):
            continue
        if numbers and number not in numbers:
            plan.leave(f"line {number}", "it is outside the piece of code that holds the memories")
        elif match := _LINE.fullmatch(line.rstrip()):
            entries.append((number, heading, match["date"].strip(), match["text"]))
        elif mark := _HEADING.fullmatch(line.rstrip()):
            heading = mark[1]
        elif entries and line[0] in " \t":
            first, above, date, so_far = entries.pop()
            entries.append((first, above, date, f"{so_far}\n{line.strip()}"))
        else:
            entries.append((number, heading, "", line.strip()))
    for number, above, date, said in entries:
        plan.add_fact(said, what=f"line {number}", of="line", tags=[above] if above else [], occurred=date)


def _fenced(text: str) -> list[tuple[int, str]]:
    """The lines inside of pieces of code that have memories in this form."""
    found: list[tuple[int, str]] = []
    is_inside = False
    for number, line in enumerate(lines_of(text), 1):
        if _FENCE.match(line):
            is_inside = not is_inside
        elif is_inside and line.strip():
            found.append((number, line))
    return found if any(_LINE.match(line) for _, line in found) else []
