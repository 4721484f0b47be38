"""The lines of an export. Nothing in them tells the scope or the time of it: equal memories make equal files.

The first line says what the file is, the last how many there are of each kind; in between a line is a trace, a replaced
version of one (``history``), or a version of a document. Bytes are base64.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from memtools.adapters.table.layout import attributes, history_prefix, moment_text, trace_of
from memtools.domain.trace import Trace

from memtools_cli.failures import refused

Values = dict[str, Any]

HEADER: Final = {"kind": "memtools-export", "format": 1}
_EMBEDDING: Final = "embedding"


@dataclass(frozen=True, slots=True)
class Past:
    """A replaced version with an item of its own, and when that is purged."""

    trace: Trace
    expires_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A version of a document. ``data`` is None where it was deleted; the rest is what made it."""

    name: str
    data: bytes | None = None
    edit: str | None = None
    is_first: bool = False
    writes: str | None = None
    written_at: str | None = None


Record = Trace | Past | Page


def record_of_item(values: Mapping[str, Any]) -> Trace | Past | None:
    """The item of the table as a record; None for the mere place of a text, which follows from the traces.

    An imported trace that has not changed since tells the time of its change before it was imported.
    """
    kind = values["sk"].partition("#")[0]
    if kind == "history" and isinstance(values.get("trace"), dict):
        return Past(trace_of(values["trace"]), int(values["expiresAt"]))
    if kind != "trace":
        raise refused(f"The table holds an item of a kind that this version does not know ({kind}). Nothing was done.")
    if "id" not in values:
        return None
    trace = trace_of(values)
    imported = values.get("imported")
    if imported and imported["at"] == values["changedAt"]:
        return replace(trace, changed_at=datetime.fromisoformat(imported["changedAt"]))
    return trace


def line_of(record: Record) -> str:
    """The record as a line of the file."""
    match record:
        case Trace():
            return dumped({"kind": "trace", **_jsonable(attributes(record))})
        case Past(trace, expires_at):
            return dumped({"kind": "history", "expiresAt": expires_at, "trace": _jsonable(attributes(trace))})
        case Page():
            return dumped({"kind": "document", **_page_values(record)})


def dumped(values: Mapping[str, Any]) -> str:
    """One line of JSON."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def _jsonable(values: Values) -> Values:
    found = dict(values)
    if _EMBEDDING in found:
        found[_EMBEDDING] = base64.b64encode(found[_EMBEDDING]).decode()
    if "before" in found:
        found["before"] = [_jsonable(version) for version in found["before"]]
    return found


def _of_json(values: Values) -> Values:
    found = dict(values)
    if _EMBEDDING in found:
        found[_EMBEDDING] = base64.b64decode(found[_EMBEDDING], validate=True)
    if "before" in found:
        found["before"] = [_of_json(version) for version in found["before"]]
    return found


def _page_values(page: Page) -> Values:
    values: Values = {"name": page.name}
    if page.data is None:
        return {**values, "deleted": True}
    try:
        values["text"] = page.data.decode()
    except UnicodeDecodeError:  # an operator's: no tool writes such a thing
        values["base64"] = base64.b64encode(page.data).decode()
    told = {"edit": page.edit, "first": page.is_first or None, "writes": page.writes, "writtenAt": page.written_at}
    return values | {name: value for name, value in told.items() if value is not None}


def record_of_line(values: Values) -> Record:
    """The record that a line tells. Raises ValueError for one that no export writes."""
    given = {name: value for name, value in values.items() if name != "kind"}
    try:
        record: Record = _RECORDS[values["kind"]](given)
        again = json.loads(line_of(record))
    except (KeyError, TypeError, AttributeError, binascii.Error, OverflowError):
        raise ValueError("not a line of an export") from None
    if again != values or not _is_text(record):
        raise ValueError("holds what this version does not know")
    return record


def _is_text(record: Record) -> bool:
    """Whether what has to be text is."""
    trace = record.trace if isinstance(record, Past) else record
    named = (trace.name,) if isinstance(trace, Page) else (trace.id, trace.content, *trace.tags)
    return all(isinstance(one, str) and one for one in named)


def _page(given: Values) -> Page:
    data = given["text"].encode() if "text" in given else None
    if "base64" in given:
        data = base64.b64decode(given["base64"], validate=True)
    return Page(
        name=given["name"],
        data=data,
        edit=given.get("edit"),
        is_first=given.get("first", False),
        writes=given.get("writes"),
        written_at=given.get("writtenAt"),
    )


_RECORDS: Final[Mapping[str, Any]] = {
    "trace": lambda given: trace_of(_of_json(given)),
    "history": lambda given: Past(trace_of(_of_json(given["trace"])), int(given["expiresAt"])),
    "document": _page,
}


def sort_key(record: Trace | Past) -> str:
    """Where the record stands in its scope."""
    if isinstance(record, Past):
        return f"{history_prefix(record.trace.id)}{record.trace.version:010d}"
    return f"trace#{record.id}"


def second_text(moment: datetime) -> str:
    """A time to the second, which is what S3 keeps."""
    return moment_text(moment.astimezone(UTC).replace(microsecond=0))
