"""A scope's memory into a file; an export that was interrupted continues where it stopped.

Until it is complete, the export stands in ``FILE.part``, and ``FILE.part.json`` says what it is an export of.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtools.adapters.archive.port import Archive
from memtools.adapters.archive.records import (
    DocumentVersion,
    Record,
    record_of_values,
    sort_key,
    values_of,
    version_of,
)
from memtools.domain.scope import Scope

from memtools_cli.export_file import COUNTS, HEADER, line_of
from memtools_cli.failures import BadUsage, Refused
from memtools_cli.files import create, exists, reopen, replace_file
from memtools_cli.output import Advance


@dataclass(frozen=True, slots=True)
class Part:
    """The two files of an unfinished export."""

    file: Path
    about: Path


def export(archive: Archive, scope: Scope, file: Path, advance: Advance) -> dict[str, int]:
    """Write all that the scope has to ``file``; how much of each kind.

    All versions are read again at the end. Where none has changed, the file holds what was there in the moment between.
    Raises Failure where one has, since the file would hold a state that never was, and where the file exists.
    """
    if exists(file):
        raise Refused(f"{file} exists already. Name another file, or remove it.")
    part = _begin(archive, scope, file)
    written = _written(part.file)
    advance(len(written))
    with reopen(part.file, "a") as out:
        if not out.tell():
            out.write(_line(HEADER))
        for records in archive.record_pages(scope, after=next(reversed(written), None)):
            out.writelines(_line(values_of(record)) for record in records)
            out.flush()
            written |= {sort_key(record): version_of(record) for record in records}
            advance(len(records))
        names = archive.document_names(scope)
        out.writelines(_line(values_of(version)) for version in archive.documents(scope))
    _require_unchanged(archive, scope, part, written, names)
    counts = _finish(part)
    part.file.replace(file)
    part.about.unlink()
    return counts


def _begin(archive: Archive, scope: Scope, file: Path) -> Part:
    """The export that was begun into this file, else a new one. Raises Failure where that is of another scope."""
    part, about = (file.with_name(file.name + ending) for ending in (".part", ".part.json"))
    origin = {"scope": scope.key, **archive.place}
    try:
        if not exists(about):
            if exists(part):
                raise Refused(f"{part} is not of an export that memtools began. If nobody needs it, remove it.")
            replace_file(about, line_of(origin))
        if not exists(part):
            create(part).close()
    except OSError as error:
        raise BadUsage(f"Cannot write to {file}: {error.strerror}.") from None
    with reopen(about, "r") as told:
        same = told.read() == _line(origin)
    if not same:
        raise Refused(f"{part} was begun for another memory. Name another file, or remove {part} and {about}.")
    return Part(part, about)


def _written(part: Path) -> dict[str, int | None]:
    """The records of the table that the file holds, by sort key, in order, with their versions.

    The file is cut off behind them: documents are few, and read again.
    """
    written: dict[str, int | None] = {}
    end = 0
    with reopen(part, "r+") as file:
        for number, line in enumerate(file):
            if number == 0 and line == _line(HEADER):
                end = len(line)
                continue
            record = _record(line) if number else None
            if record is None or isinstance(record, DocumentVersion):
                break
            end += len(line)
            written[sort_key(record)] = version_of(record)
        file.truncate(end)
    return written


def _line(values: Mapping[str, Any]) -> bytes:
    return line_of(values).encode()


def _record(line: bytes) -> Record | None:
    """The line's record, None where the line was cut off."""
    try:
        return record_of_values(json.loads(line)) if line.endswith(b"\n") else None
    except ValueError:
        return None


def _require_unchanged(
    archive: Archive, scope: Scope, part: Part, written: dict[str, int | None], names: list[tuple[str, str]]
) -> None:
    """Raise Failure, and drop the export, where the scope no longer holds what was written."""
    if archive.current_versions(scope) != written or archive.document_names(scope) != names:
        part.file.unlink()
        part.about.unlink()
        raise Refused("The memory changed while it was exported, so the export was dropped. Run it again.", "conflict")


def _finish(part: Part) -> dict[str, int]:
    """Write the last line; the counts in it."""
    with reopen(part.file, "r") as lines:
        kinds = Counter(str(json.loads(line)["kind"]) for line in lines)
    counts = {name: kinds[kind] for kind, name in COUNTS.items()}
    with reopen(part.file, "a") as out:
        out.write(_line({"kind": "end", **counts}))
    return counts
