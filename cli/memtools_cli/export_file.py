"""The file of an export: JSON Lines. The first line says what the file is, the last how much it holds."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtools.adapters.archive.checking import require_sound
from memtools.adapters.archive.records import KINDS, DocumentVersion, Record, Replaced, record_of_values
from memtools.domain.trace import Trace

from memtools_cli.failures import BadUsage
from memtools_cli.files import read_text

HEADER: Final = {"kind": "memtools-export", "format": 1}
# How the last line counts records of each kind.
COUNTS: Final = {"trace": "traces", "history": "history", "document": "documentVersions"}


@dataclass(frozen=True, slots=True)
class Export:
    """What a file holds; ``documents`` by name, the versions oldest first."""

    records: list[Trace | Replaced]
    documents: dict[str, list[DocumentVersion]]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        history = sum(isinstance(record, Replaced) for record in self.records)
        documents = sum(map(len, self.documents.values()))
        return {"traces": len(self.records) - history, "history": history, "documentVersions": documents}


def line_of(values: Mapping[str, Any]) -> str:
    """One line of the file."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def read_export(file: Path) -> Export:
    """The file's content. Raises Failure, naming the line, unless the file is whole and all of it is understood."""
    lines = read_text(file, bounded=False).split("\n")
    if not lines or _json(lines[0], file, 1) != HEADER:
        raise BadUsage(f"{file} is not an export of memtools, or one of another version.")
    if len(lines) < 3 or lines[-1]:  # noqa: PLR2004 - the first line, the last, and its line break
        raise BadUsage(f"{file} has no last line: it was cut off.")
    found = Export([], {})
    for number, line in enumerate(lines[1:-2], 2):
        record = _record(line, file, number)
        if isinstance(record, DocumentVersion):
            found.documents.setdefault(record.name, []).append(record)
        else:
            found.records.append(record)
    if _json(lines[-2], file, len(lines) - 1) != {"kind": "end", **found.counts}:
        raise BadUsage(f"{file} does not hold what its last line says: lines are missing, or it was cut off.")
    return found


def _json(line: str, file: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise BadUsage(f"{file}, line {number}: not valid JSON.") from None


def _record(line: str, file: Path, number: int) -> Record:
    values = _json(line, file, number)
    try:
        if isinstance(values, dict) and values.get("kind") in KINDS.values():
            record = record_of_values(values)
            require_sound(record)
            return record
    except ValueError as error:
        raise BadUsage(f"{file}, line {number}: {error}.") from None
    raise BadUsage(f"{file}, line {number}: not a line of an export.")
