"""A scope's memory into a file of JSON Lines; an export that was interrupted goes on where it was.

Until it is whole, the export stands in ``FILE.part``, and beside it in ``FILE.part.json`` what it is an export of.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.domain.trace import Trace

from memtools_cli.documents import pages_of
from memtools_cli.failures import bad_usage, refused
from memtools_cli.files import replace_file
from memtools_cli.output import Bar
from memtools_cli.records import HEADER, Page, Past, Record, dumped, line_of, record_of_item, record_of_line, sort_key
from memtools_cli.stores import Stores, Version, oldest_first, pages

NOUNS: Final = {"trace": "traces", "history": "history", "document": "documentVersions"}


@dataclass(frozen=True, slots=True)
class Part:
    """The unfinished export: its two files."""

    file: Path
    about: Path


def export(stores: Stores, scope: Scope, file: Path, bar: Bar) -> dict[str, int]:
    """Write all there is of the scope to ``file``; how many of each kind.

    All keys are read again at the end: where none has changed, the file holds what was there in the moment between.
    Raises Failure where some have, so that the file would hold a state that never was, or where it is there already.
    """
    if file.exists():
        raise refused(f"{file} is there already. Name another file, or remove it.")
    part = _begin(stores, scope, file)
    written = _written(part.file)
    bar.advance(len(written))
    with part.file.open("a", encoding="utf-8", newline="\n") as out:
        if not out.tell():
            out.write(dumped(HEADER))
        for page in pages(stores, scope, after=next(reversed(written), None)):
            records = [record for values in page if (record := record_of_item(values))]
            out.writelines(map(line_of, records))
            out.flush()
            written |= dict(map(_identity, records))
            bar.advance(len(records))
        versions = oldest_first(stores, scope)
        documents = pages_of(stores, scope, versions)
        out.writelines(map(line_of, documents))
    _require_still(stores, scope, part, written, versions)
    counts = _finish(part)
    part.file.replace(file)
    part.about.unlink()
    return counts


def _begin(stores: Stores, scope: Scope, file: Path) -> Part:
    """The export that was begun into this file, else a new one. Raises Failure where that is another scope's."""
    part, about = (file.with_name(file.name + ending) for ending in (".part", ".part.json"))
    origin = {"scope": scope.key, "table": stores.table, "bucket": stores.bucket}
    if not about.exists():
        try:
            part.unlink(missing_ok=True)
            replace_file(about, dumped(origin))
            part.touch(mode=0o600)
        except OSError as error:
            raise bad_usage(f"Cannot write to {file}: {error.strerror}.") from None
        return Part(part, about)
    known = json.loads(about.read_text("utf-8"))
    if known != origin:
        raise refused(f"{part} was begun for another memory. Name another file, or remove {part} and {about}.")
    part.touch(mode=0o600)
    return Part(part, about)


def _identity(record: Trace | Past) -> tuple[str, int | None]:
    """Where the record stands, and at which version; what is past never changes."""
    return sort_key(record), record.version if isinstance(record, Trace) else None


def _written(part: Path) -> dict[str, int | None]:
    """What of the table is in the file, in order.

    The file is cut behind that, since documents are few and read anew.
    """
    written: dict[str, int | None] = {}
    end = 0
    with part.open("rb") as lines:
        for number, line in enumerate(lines):
            record = _whole(line) if number else None
            if record is None and (number or line != dumped(HEADER).encode()):
                break
            if isinstance(record, Page):
                break
            end += len(line)
            written |= dict([_identity(record)] if record else [])
    with part.open("rb+") as file:
        file.truncate(end)
    return written


def _whole(line: bytes) -> Record | None:
    try:
        return record_of_line(json.loads(line)) if line.endswith(b"\n") else None
    except ValueError:
        return None


def _require_still(
    stores: Stores,
    scope: Scope,
    part: Part,
    written: dict[str, int | None],
    versions: dict[str, list[Version]],
) -> None:
    """Raise Failure, and drop the export, where the keys are no longer those that were written."""
    now = {
        values["sk"]: int(values["version"]) if "id" in values else None
        for page in pages(stores, scope, only=("sk", "id", "version", "expiresAt"))
        for values in page
        if "id" in values or "expiresAt" in values
    }
    if now != written or oldest_first(stores, scope) != versions:
        part.file.unlink()
        part.about.unlink()
        raise refused("The memory changed while it was exported, so the export was dropped. Run it again.", "conflict")


def _finish(part: Part) -> dict[str, int]:
    """Write the last line; the counts in it."""
    with part.file.open(encoding="utf-8") as lines:
        kinds: Counter[Any] = Counter(json.loads(line)["kind"] for line in lines)
    counts = {noun: kinds[kind] for kind, noun in NOUNS.items()}
    with part.file.open("a", encoding="utf-8", newline="\n") as out:
        out.write(dumped({"kind": "end", **counts}))
    return counts
