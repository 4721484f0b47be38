"""The front matter of a Markdown file: a few lines of YAML between two lines `---`."""

import re
from typing import Final

_FRONT: Final = re.compile(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY: Final = re.compile(r"([A-Za-z_][\w -]*):[ \t]*(.*)")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(.*)")


def split(text: str) -> tuple[dict[str, list[str]], str]:
    """The values by lower-case key, and the text behind. What does not look like front matter stays in the text."""
    match = _FRONT.match(text)
    found: dict[str, list[str]] = {}
    key = ""
    for line in match[1].splitlines() if match else ():
        if pair := _KEY.fullmatch(line):
            key = pair[1].lower()
            found[key] = _values(pair[2])
        elif key and (item := _ITEM.fullmatch(line)):
            found[key] += _values(item[1])
        elif line.strip() and not line.lstrip().startswith("#"):
            if not key:
                return {}, text
            found[key].append(line.strip())
    return (found, text[match.end() :]) if match and found else ({}, text)


def _values(text: str) -> list[str]:
    inner = text.strip()
    parts = inner[1:-1].split(",") if inner.startswith("[") and inner.endswith("]") else [inner]
    return [value for part in parts if (value := part.strip().strip("\"'"))]
