"""The JSON in a text: one document, or one a line."""

import json
from typing import Any

from memtools_cli.formats.plan import LeftOut

# What to call each value, and the value.
Values = list[tuple[str, Any]]


def values_of(text: str) -> tuple[Values, list[LeftOut]]:
    """The text's document, or those of its lines with the lines that are no JSON. Empty for a text that has none."""
    try:
        return [("file", json.loads(text))], []
    except (ValueError, RecursionError):
        pass
    found: Values = []
    broken: list[LeftOut] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append((f"line {number}", json.loads(line)))
            except (ValueError, RecursionError):
                broken.append(LeftOut(f"line {number}", "it is not valid JSON"))
    # Without an object this is no JSON, though a number alone on a line looks like it.
    return (found, broken) if any(isinstance(value, dict) for _, value in found) else ([], [])
