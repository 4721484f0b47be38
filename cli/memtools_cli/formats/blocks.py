"""Markdown in blocks, each with its source to the byte: what is kept is never written anew from a parse."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

# A parse takes about 150 times as much memory as its text.
LONGEST: Final = 4_000_000
TOO_LONG: Final = f"it has more than {LONGEST} characters of Markdown; split it"
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MARKER: Final = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_BOLD_LINE: Final = re.compile(r"\*\*([^*\n]+)\*\*:?")
_ATX: Final = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, an item of a list, or any other block. ``number`` is its first line, ``heading`` the one above."""

    kind: str
    source: str
    number: int
    heading: str = ""

    @property
    def text(self) -> str:
        """An item without its marker and indentation, a heading without its marks, any other block as it is."""
        if self.kind == "heading":
            return heading_text(self.source)
        lines = self.source.rstrip().splitlines() if self.kind == "item" else []
        marker = _MARKER.match(lines[0]) if lines else None
        if not marker:
            return self.source.strip("\r\n").rstrip()
        width = marker.end()
        rest = [line[min(width, len(line) - len(line.lstrip(" "))) :] for line in lines[1:]]
        return "\n".join([lines[0][width:], *rest])


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 100}).disable("inline")


def lines_of(text: str) -> list[str]:
    """The lines as Markdown counts them, with their endings."""
    return _LINE.findall(text)


def blocks_of(text: str) -> list[Block]:
    """All blocks; lines that the parser keeps to itself, such as definitions of links, are blocks of their own."""
    lines = lines_of(text)
    found: list[Block] = []
    heading, done = "", 0
    for token in _parser().parse(text):
        kind = _kind(token)
        if not kind or token.map is None or token.map[0] < done:
            continue
        start, end = token.map
        found += _rest(lines, done, start, heading)
        block = Block(kind, "".join(lines[start:end]).rstrip("\r\n \t"), start + 1, heading)
        if kind == "block" and (bold := _BOLD_LINE.fullmatch(block.source.strip())):
            block = Block("heading", block.source, start + 1, heading)
            heading = bold[1].strip()
        elif kind == "heading":
            heading = block.text
        found.append(block)
        done = end
    return found + _rest(lines, done, len(lines), heading)


def heading_text(source: str) -> str:
    """The heading's text: of the form with marks, the underlined one, or a line in bold."""
    first = source.strip("\r\n").split("\n")[0].strip()
    if bold := _BOLD_LINE.fullmatch(source.strip()):
        return bold[1].strip()
    marked = _ATX.fullmatch(first)
    return (marked["text"] or "").strip() if marked else first


def _kind(token: Token) -> str:
    """The kind of block that begins with the token; empty where none does, or one inside another."""
    if token.type == "list_item_open":
        return "item" if token.level == 1 else ""
    if token.level or token.type in ("bullet_list_open", "ordered_list_open") or token.type.endswith("_close"):
        return ""
    return {"heading_open": "heading", "hr": "rule"}.get(token.type, "block")


def _rest(lines: list[str], start: int, end: int, heading: str) -> list[Block]:
    """The lines between two blocks, unless they are blank."""
    source = "".join(lines[start:end])
    return [Block("block", source.strip("\r\n"), start + 1, heading)] if source.strip() else []
