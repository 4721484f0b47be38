"""The blocks of code on a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from typing import Final

from local.template import ROOT

PAGES: Final = sorted(
    str(page.relative_to(ROOT)) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("c*/**/*.md")]
)
_HEADING: Final = re.compile(r"#+ +(.+?) *$")
_FENCE: Final = re.compile(r" *```(\w*) *$")


@dataclass(frozen=True)
class Block:
    """One block: under which heading it stands, its language, where it begins, and its text without indentation."""

    page: str
    heading: str
    language: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """The blocks of a page, in their order."""
    return tuple(_read(page, (ROOT / page).read_text("utf-8").splitlines()))


def _read(page: str, lines: list[str]) -> Iterator[Block]:
    heading, begun, language = "", 0, ""
    for number, line in enumerate(lines, 1):
        if fence := _FENCE.match(line):
            if begun:
                yield Block(page, heading, language, begun, dedent("\n".join(lines[begun : number - 1])) + "\n")
            begun, language = (0, "") if begun else (number, fence[1])
        elif not begun and (title := _HEADING.match(line)):
            heading = title[1]
    if begun:
        raise ValueError(f"{page}:{begun}: a block that does not end")
