"""Edits of one text. They change nothing else, and keep the way in which lines end (LF or CRLF)."""

from typing import Final

from memtools_client.files.store import Refused

MOST_LINES: Final = 999_999
_WIDTH: Final = len(str(MOST_LINES))
_AROUND: Final = 2


def numbered(text: str, first: int = 1, last: int = -1) -> str:
    """The lines from ``first`` to ``last`` (-1: the end) with their numbers."""
    lines = text.split("\n")
    first = max(1, first)
    shown = lines[first - 1 : len(lines) if last == -1 else max(0, last)]
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(shown, first))


def replaced(text: str, old: str, new: str, *, path: str) -> tuple[str, str]:
    """The text with its one occurrence of ``old`` replaced, and the lines around it with their numbers.

    Where all lines end with CRLF, ``old`` is found by LF too, and the lines of ``new`` get CRLF. Raises Refused where
    ``old`` does not occur exactly once.
    """
    if not old:
        raise Refused("No replacement was performed, old_str is empty.")
    starts = _starts(text, old)
    if not starts and _has_crlf(text):
        old = _with_crlf(old)
        starts = _starts(text, old)
    if not starts:
        raise Refused(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if len(starts) > 1:
        lines = ", ".join(str(text.count("\n", 0, start) + 1) for start in starts)
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}."
            " Please ensure it is unique"
        )
    start = starts[0]
    changed = text[:start] + (_with_crlf(new) if _has_crlf(text) else new) + text[start + len(old) :]
    line = text.count("\n", 0, start) + 1
    return changed, numbered(changed, line - _AROUND, line + _AROUND)


def inserted(text: str, line: object, addition: str) -> str:
    """The text with ``addition`` as lines of its own after line ``line`` (0: at the top). Raises Refused."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= len(lines):
        raise Refused(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
    crlf = _has_crlf(text)
    if crlf:
        lines = [text_line.removesuffix("\r") for text_line in lines]
        addition = addition.replace("\r\n", "\n")
    lines.insert(line, addition.rstrip("\n"))
    joined = "\n".join([*lines, ""])
    return _with_crlf(joined) if crlf else joined


def _starts(text: str, part: str) -> list[int]:
    """Every place where ``part`` begins. Overlaps count, since nobody knows which of them is meant."""
    starts = []
    start = text.find(part)
    while start >= 0:
        starts.append(start)
        start = text.find(part, start + 1)
    return starts


def _has_crlf(text: str) -> bool:
    """Whether there are line ends, and all of them are CRLF."""
    return "\r\n" in text and text.count("\r\n") == text.count("\n")


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
