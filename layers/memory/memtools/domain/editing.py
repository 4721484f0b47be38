"""Edits of a Markdown document made of entries (``- text``). All texts are literal; nothing is a pattern or a guess.

The further lines of an entry are stored with indentation, which keeps them in one entry in Markdown. So a text of
several lines is searched for both as it is and with this indentation.

A document keeps its line ends: new text takes those of the document, and a text to find may have any.
"""

import re
from dataclasses import dataclass

from memtools.errors import Ambiguous, InvalidArguments, NotFound, TooLarge

_BULLET = re.compile(r"[-*+][ \t]+")
_EMPTY_BULLET = re.compile(r"[ \t]*[-*+][ \t]*\r?")
_OTHER_BLOCK = re.compile(r"#{1,6}\s|>|```|~~~|\d+[.)]\s|[-*_]{3,}\s*$")
_LINE_END = re.compile(r"\r\n|\n|\r")
# Never the half of one.
_WHOLE_LINE_END = r"(?:\r\n|(?<!\r)\n|\r(?!\n))"
_INDENT = "  "
_LONGEST_SHOWN = 3


def _indented(text: str) -> str:
    return text.replace("\n", "\n" + _INDENT)


def _plain(text: str) -> str:
    """``text`` with the line ends in which this module computes."""
    return _LINE_END.sub("\n", text)


def _as_in(document: str, text: str) -> str:
    """``text`` with the document's line ends: those of its first line."""
    first = _LINE_END.search(document)
    return text.replace("\n", "\r\n") if first and first.group() == "\r\n" else text


def entries(text: str) -> list[str]:
    """The document's entries as they were added, without bullets and indentation.

    As in Markdown, a line without indentation right below an entry belongs to it too, unless it begins another block.
    """
    found: list[list[str]] = []
    inside, below_text = False, False
    for line in _LINE_END.split(text):
        blank = not line.strip()
        if bullet := _BULLET.match(line):
            found.append([line[bullet.end() :]])
            inside = True
        elif inside and (blank or line.startswith(_INDENT) or (below_text and not _OTHER_BLOCK.match(line))):
            found[-1].append(line.removeprefix(_INDENT))
        else:
            inside = False
        below_text = not blank
    return ["\n".join(lines).rstrip() for lines in found]


def add(text: str, entry: str) -> str:
    """``text`` with ``entry`` appended, or unchanged if it has this entry already."""
    entry = _plain(entry).strip()
    if bullet := _BULLET.match(entry):
        entry = entry[bullet.end() :].lstrip()
    if entry in ("", "-", "*", "+"):
        raise InvalidArguments("`text` is empty. Give the text to remember.", argument="text")
    if entry in entries(text):
        return text
    end = "" if not text or text.endswith(("\n", "\r")) else "\n"
    return text + _as_in(text, f"{end}- {_indented(entry)}\n")


def replace(text: str, old: str, new: str) -> str:
    """``text`` with the only occurrence of ``old`` replaced by ``new``."""
    place = _only(text, old)
    new = _indented(_plain(new)) if place.indented else _plain(new)
    return text[: place.start] + _as_in(text, new) + text[place.end :]


def is_replaced(text: str, old: str, new: str) -> bool:
    """Whether ``new`` contains ``old``, and nothing is left of ``old`` outside of ``new``: the edit is done already."""
    places, done = _places(text, old), _places(text, new)
    inside = [any(one.start <= place.start and place.end <= one.end for one in done) for place in places]
    return bool(places) and all(inside)


def remove(text: str, old: str) -> str:
    """``text`` without the only occurrence of ``old``, and without its bullet if nothing else is left of the entry."""
    place = _only(text, old)
    start, end = place.start, place.end
    line_start = text.rfind("\n", 0, start) + 1
    line_end = end - 1 if text[end - 1] == "\n" else text.find("\n", end) % (len(text) + 1)
    rest = text[line_start:start] + text[end:line_end]
    took_bullet = not rest.strip() and _BULLET.match(old.lstrip())
    if (took_bullet or _EMPTY_BULLET.fullmatch(rest)) and not _goes_on(text[line_end + 1 :], rest):
        return text[:line_start] + text[line_end + 1 :]
    return text[:start] + text[end:]


def _goes_on(below: str, bullet: str) -> bool:
    """Whether the lines below an emptied bullet belong to its entry: the next line with text is indented further."""
    depth = bullet[: len(bullet) - len(bullet.lstrip())] + _INDENT
    return next((line.startswith(depth) for line in below.split("\n") if line.strip()), False)


def require_within_limit(text: str, limit: int, *, current: str) -> None:
    """Raise TooLarge, with the longest entries, if an edit leaves more than ``limit`` characters.

    An edit that makes the document shorter is always allowed, so that a document that grew too large elsewhere can
    shrink.
    """
    if len(text) <= limit or len(text) < len(current):
        return
    longest = sorted(entries(current), key=len, reverse=True)[:_LONGEST_SHOWN]
    raise TooLarge(
        f"The document would have {len(text)} characters; the limit is {limit}. Nothing was written. Shorten or remove"
        " entries first (`details.longest` has the longest), then send this edit again.",
        size=len(text),
        limit=limit,
        longest=[{"length": len(entry), "entry": entry} for entry in longest],
    )


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    indented: bool


def _only(text: str, old: str) -> _Place:
    """The only place where ``old`` occurs.

    Raises:
        InvalidArguments: ``old`` is empty.
        NotFound: there is none; the document's entries are in ``details.entries``.
        Ambiguous: there are several, counting overlaps; their lines are in ``details.occurrences``.
    """
    if not old:
        raise InvalidArguments("`text` is empty. Give the exact text to find.", argument="text")
    places = _places(text, old)
    if not places:
        raise NotFound(
            "`text` does not occur in the document. Nothing was changed. Copy it exactly from one of the entries in"
            " `details.entries`.",
            entries=entries(text),
        )
    if len(places) > 1:
        raise Ambiguous(
            f"`text` occurs {len(places)} times. Nothing was changed. Include more of its line, or of the lines around"
            " it, so that it occurs only once. See `details.occurrences`.",
            occurrences=[_line_at(text, place.start) for place in places],
        )
    return places[0]


def _places(text: str, wanted: str) -> list[_Place]:
    """All places where ``wanted`` occurs, in order, overlaps too."""
    if not wanted:
        return []
    lines = [re.escape(line) for line in _LINE_END.split(wanted)]
    found = {
        match.start(): _Place(match.start(), match.end(1), indented=between == _INDENT and len(lines) > 1)
        for between in (_INDENT, "")
        for match in re.finditer(f"(?=({(_WHOLE_LINE_END + between).join(lines)}))", text)
    }
    return [found[start] for start in sorted(found)]


def _line_at(text: str, position: int) -> dict[str, int | str]:
    number = len(_LINE_END.findall(text, 0, position)) + 1
    return {"line": number, "text": _LINE_END.split(text)[number - 1]}
