"""The content of an export: traces, replaced versions of traces, and versions of documents, as JSON.

Records have neither the scope nor the time of the export, so equal memories make equal records.
"""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memtools.adapters.values import (
    Values,
    attributes,
    history_sort_key,
    trace_of,
    trace_sort_key,
    with_bytes,
    with_text,
)
from memtools.domain.trace import Trace


@dataclass(frozen=True, slots=True)
class Replaced:
    """A replaced version that has its own item, and the time at which DynamoDB purges it."""

    trace: Trace
    expires_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """A version of a document, with its metadata in S3. ``data`` is None if the document was deleted."""

    name: str
    data: bytes | None = None
    edit: str | None = None
    is_first: bool = False
    writes: str | None = None
    written_at: str | None = None


Record = Trace | Replaced | DocumentVersion
# Their names in an export.
KINDS: Final = {Trace: "trace", Replaced: "history", DocumentVersion: "document"}


def sort_key(record: Trace | Replaced) -> str:
    """The key by which an export is in order: that of the record's item in the table."""
    if isinstance(record, Replaced):
        return history_sort_key(record.trace.id, record.trace.version)
    return trace_sort_key(record.id)


def version_of(record: Trace | Replaced) -> int | None:
    """The version by which a change shows; a replaced version never changes."""
    return record.version if isinstance(record, Trace) else None


def values_of(record: Record) -> Values:
    """The record as JSON values; bytes are base64."""
    kind = {"kind": KINDS[type(record)]}
    match record:
        case Trace():
            return {**kind, **with_text(attributes(record))}
        case Replaced(trace, expires_at):
            return {**kind, "expiresAt": expires_at, "trace": with_text(attributes(trace))}
        case DocumentVersion():
            return {**kind, **_document_values(record)}


def record_of_values(values: Values) -> Record:
    """The record from the result of ``values_of``. Raises ValueError for anything else."""
    given = {name: value for name, value in values.items() if name != "kind"}
    try:
        json.dumps(values, ensure_ascii=False).encode()  # half of a surrogate pair is no text
        record = _RECORDS[values["kind"]](given)
        again = values_of(record)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, OSError):
        raise ValueError("not a line of an export, or one of its values is of the wrong kind") from None
    if again != values or not _is_text(record):
        raise ValueError("holds what this version does not know")
    return record


def _document_values(version: DocumentVersion) -> Values:
    values: Values = {"name": version.name}
    if version.data is None:
        return {**values, "deleted": True}
    try:
        values["text"] = version.data.decode()
    except UnicodeDecodeError:  # an operator wrote it: no tool does
        values["base64"] = base64.b64encode(version.data).decode()
    optional = {
        "edit": version.edit,
        "first": version.is_first or None,
        "writes": version.writes,
        "writtenAt": version.written_at,
    }
    return values | {name: value for name, value in optional.items() if value is not None}


def _document(given: Values) -> DocumentVersion:
    data = given["text"].encode() if "text" in given else None
    if "base64" in given:
        data = base64.b64decode(given["base64"], validate=True)
    return DocumentVersion(
        name=given["name"],
        data=data,
        edit=given.get("edit"),
        is_first=given.get("first", False),
        writes=given.get("writes"),
        written_at=given.get("writtenAt"),
    )


_RECORDS: Final[Mapping[str, Callable[[Values], Record]]] = {
    "trace": lambda given: trace_of(with_bytes(given)),
    "history": lambda given: Replaced(trace_of(with_bytes(given["trace"])), int(given["expiresAt"])),
    "document": _document,
}


def _is_text(record: Record) -> bool:
    """Whether all texts are texts."""
    match record:
        case DocumentVersion():
            texts = [record.name, *_given(record.edit, record.writes, record.written_at)]
        case Replaced(trace):
            texts = _texts(trace)
        case Trace():
            texts = _texts(record)
    return all(isinstance(one, str) for one in texts)


def _texts(trace: Trace) -> list[Any]:
    """Those of the trace and of the versions inside it."""
    merge = [trace.merge.call, *trace.merge.sources] if trace.merge else []
    model = [trace.embedding.model] if trace.embedding else []
    own = [trace.id, trace.content, *trace.tags, *trace.merged_from, *trace.writes, *merge, *model]
    inside = [text for version in trace.inline_history for text in _texts(version)]
    return [*own, *_given(trace.reason, trace.merged_into), *inside]


def _given(*values: Any) -> list[Any]:
    return [value for value in values if value is not None]
