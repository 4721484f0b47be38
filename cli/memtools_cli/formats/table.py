"""A CSV file, with a map of its columns."""

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Final

from memtools_cli.formats.plan import Plan

_NAMES: Final = {
    "text": ("text", "memory", "content", "fact"),
    "date": ("date", "created_at", "occurredat", "created"),
    "tags": ("tags", "categories", "tag"),
}
_LONGEST_FIELD: Final = 16 * 1024 * 1024


def read(text: str, plan: Plan, columns: Mapping[str, str]) -> None:
    """A fact for each row. Raises ValueError where no column holds the text."""
    csv.field_size_limit(_LONGEST_FIELD)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ";" if _semicolons(text) else ","
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next(rows, [])
        places = _places(header, columns)
        for row in rows:
            _take(row, header, places, f"row ending in line {rows.line_num}", plan)
    except csv.Error:
        raise ValueError(f"line {rows.line_num} is no line of CSV") from None


def _semicolons(text: str) -> bool:
    first = text.partition("\n")[0]
    return ";" in first and "," not in first


def _places(header: list[str], columns: Mapping[str, str]) -> dict[str, int]:
    """The place of each column that is used."""
    lowered = [name.strip().lower() for name in header]
    places = {}
    for use, names in _NAMES.items():
        wanted = (columns[use].strip().lower(),) if use in columns else names
        found = next((lowered.index(name) for name in wanted if name in lowered), None)
        if found is None and (use == "text" or use in columns):
            named = ", ".join(header[:20]) or "none"
            raise ValueError(f"which column is the {use}? Say --columns {use}=NAME; the columns are {named}")
        if found is not None:
            places[use] = found
    return places


def _take(row: list[str], header: list[str], places: Mapping[str, int], what: str, plan: Plan) -> None:
    if not any(one.strip() for one in row):
        return
    cells = {use: row[place] if place < len(row) else "" for use, place in places.items()}
    for place, cell in enumerate(row):
        if cell.strip() and place not in places.values():
            plan.leave(what, f"column `{header[place] if place < len(header) else place + 1}` is not kept")
    tags = [tag.strip() for tag in cells.get("tags", "").replace(";", ",").split(",")]
    plan.add_fact(cells["text"], what=what, of="row", tags=tags, occurred=cells.get("date", "").strip())
