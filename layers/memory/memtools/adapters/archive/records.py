"""The content of an export: traces, replaced versions of traces, and versions of documents, from items and as JSON.

Records have neither the scope nor the time of the export, so equal memories make equal records.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memtools.adapters.archive.stores import Stores, Values, item_pages
from memtools.adapters.table.layout import ERASED, attributes, from_dynamodb, history_key, trace_key, trace_of
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Conflict


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


def sort_key(scope: Scope, record: Trace | Replaced) -> str:
    """The record's sort key."""
    if isinstance(record, Replaced):
        return history_key(scope, record.trace.id, record.trace.version)["sk"]
    return str(from_dynamodb(trace_key(scope, record.id))["sk"])


def record_of_item(item: Mapping[str, Any]) -> Trace | Replaced | None:
    """The item's record; None if it is none: the claims of a text follow from traces. Raises Conflict.

    An imported trace that has not changed since has the time of its last change before the import.
    """
    kind = item["sk"].partition("#")[0]
    if kind == "history" and isinstance(item.get("trace"), dict):
        return Replaced(trace_of(item["trace"]), int(item["purgeAt"]))
    if kind == ERASED:
        return None
    if kind != "trace":
        raise Conflict(f"The table holds an item of a kind that this version does not know ({kind}). Nothing was done.")
    if "id" not in item:
        return None
    trace = trace_of(item)
    imported = item.get("imported")
    if imported and imported["at"] == item["changedAt"]:
        return replace(trace, changed_at=datetime.fromisoformat(imported["changedAt"]))
    return trace


def record_pages(stores: Stores, scope: Scope, after: str | None = None) -> Iterator[list[Trace | Replaced]]:
    """The scope's records in the order of their sort keys, from behind ``after``, page by page. Raises Conflict.

    They are without replaced versions past their retention, which DynamoDB may keep for a while longer.
    """
    for items in item_pages(stores, scope, after=after):
        now = stores.now().timestamp()
        yield [record for item in items if not _purged(item, now) and (record := record_of_item(_kept(item, now)))]


def _purged(item: Values, now: float) -> bool:
    return "trace" in item and bool(item["purgeAt"] <= now)


def _kept(item: Values, now: float) -> Values:
    """The item without purged versions in the inline history of its trace."""
    if isinstance(trace := item.get("trace"), dict):
        return {**item, "trace": _kept(trace, now)}
    if "inlineHistory" not in item:
        return item
    return {**item, "inlineHistory": [one for one in item["inlineHistory"] if one.get("purgeAt", now + 1) > now]}


def version_of(record: Trace | Replaced) -> int | None:
    """The version by which a change shows; a replaced version never changes."""
    return record.version if isinstance(record, Trace) else None


def current_versions(stores: Stores, scope: Scope) -> dict[str, int | None]:
    """The sort keys of the scope's records, each with its ``version_of``, as they are now."""
    return {
        item["sk"]: int(item["version"]) if "id" in item else None
        for items in item_pages(stores, scope, only=("sk", "id", "version", "purgeAt"))
        for item in items
        if item["sk"] != ERASED and ("id" in item or "purgeAt" in item)
    }


def values_of(record: Record) -> Values:
    """The record as JSON values; bytes are base64."""
    kind = {"kind": KINDS[type(record)]}
    match record:
        case Trace():
            return {**kind, **_with_text(attributes(record))}
        case Replaced(trace, expires_at):
            return {**kind, "expiresAt": expires_at, "trace": _with_text(attributes(trace))}
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


def _with_text(values: Values) -> Values:
    return _with_embedding(values, lambda vector: base64.b64encode(vector).decode())


def _with_bytes(values: Values) -> Values:
    return _with_embedding(values, lambda text: base64.b64decode(text, validate=True))


def _with_embedding(values: Values, convert: Callable[[Any], Any]) -> Values:
    """The trace's values, including its inline history, with every vector converted."""
    found = dict(values)
    if "embedding" in found:
        found["embedding"] = convert(found["embedding"])
    if "inlineHistory" in found:
        found["inlineHistory"] = [_with_embedding(version, convert) for version in found["inlineHistory"]]
    return found


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
    "trace": lambda given: trace_of(_with_bytes(given)),
    "history": lambda given: Replaced(trace_of(_with_bytes(given["trace"])), int(given["expiresAt"])),
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
