"""Traces as DynamoDB items, and back: keys, attributes, how values are written, and how large they are.

A scope is one partition. Absent values are absent attributes. Times are ISO 8601 and sort as text.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from memtools.adapters.table.schema import INDEX_ATTRIBUTES, INDEX_KEYS, KEYS
from memtools.domain.scope import Scope
from memtools.domain.trace import Change, Embedding, MergeRecord, Status, Trace
from memtools.errors import TooLarge

Item = dict[str, Any]

# Written by retrievals. Changes only add to them, and never set them.
COUNTED = frozenset({"retrievalCount", "lastRetrievedAt"})

# The key of no item, at which anybody may look. A scope's key has a slash or more.
CLOCK = "clock"
# The sort key of the tombstone of a whole scope, and its id.
ERASED = "erased"

_KB = 1024
# DynamoDB allows 400 KB for an item together with its copy in the local index. The rest is for claims, which a write
# does not see, and because DynamoDB calls its sizes approximate.
ITEM_LIMIT = 384 * _KB
# DynamoDB allows 4 MB for all items of a transaction, as they are afterwards.
TRANSACTION_LIMIT = 3968 * _KB
_COPIED = frozenset({*KEYS, *INDEX_KEYS, *INDEX_ATTRIBUTES})
_CONTAINER = 3

_serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize


def moment_text(moment: datetime) -> str:
    """UTC with microseconds, always of the same width, so that texts sort like times."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def to_dynamodb(values: Mapping[str, Any]) -> Item:
    """Python values as DynamoDB's typed ones."""
    return {name: _serialize(value) for name, value in values.items()}


def from_dynamodb(item: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB's typed values as Python ones, numbers as Decimal, binaries as Binary."""
    return {name: _deserialize(value) for name, value in item.items()}


def trace_key(scope: Scope, trace_id: str) -> Item:
    """The key of the item that has a trace and the claims to its text."""
    return to_dynamodb({"pk": scope.key, "sk": f"trace#{trace_id}"})


def history_prefix(trace_id: str) -> str:
    """What the sort keys of a trace's replaced versions start with."""
    return f"history#{trace_id}#"


def history_key(scope: Scope, trace_id: str, version: int) -> dict[str, str]:
    """The key of a replaced version. Versions sort as numbers."""
    return {"pk": scope.key, "sk": f"{history_prefix(trace_id)}{version:010d}"}


def attributes(trace: Trace) -> dict[str, Any]:
    """The trace's attributes, except absent ones."""
    merge = trace.merge
    values = {
        "id": trace.id,
        "content": trace.content,
        "tags": list(trace.tags),
        "version": trace.version,
        "status": trace.status.value,
        "change": trace.change.value,
        "createdAt": moment_text(trace.created_at),
        "changedAt": moment_text(trace.changed_at),
        "occurredAt": trace.occurred_at and moment_text(trace.occurred_at),
        "expiresAt": trace.expires_at and int(trace.expires_at.timestamp()),
        "retrievalCount": trace.retrieval_count,
        "lastRetrievedAt": trace.last_retrieved_at and moment_text(trace.last_retrieved_at),
        "embedding": trace.embedding and trace.embedding.vector,
        "embeddingModel": trace.embedding and trace.embedding.model,
        "mergedFrom": list(trace.merged_from),
        "mergedInto": trace.merged_into,
        "merge": merge
        and {
            "sources": list(merge.sources),
            "replaced": merge.replaced,
            "outcome": merge.outcome,
            "call": merge.call,
        },
        "reason": trace.reason,
        "inlineHistory": [_differences(version, trace) for version in trace.inline_history],
        "writes": list(trace.writes),
    }
    return {name: value for name, value in values.items() if value is not None and value not in ([], "")}


# Versions of a trace often have the same, and these can be long.
_SHARED = ("content", "tags")


def _differences(version: Trace, carrier: Trace) -> dict[str, Any]:
    """The attributes of a version in the carrier's inline history, without those that it shares with it."""
    values = attributes(version)
    for name in _SHARED:
        if getattr(version, name) == getattr(carrier, name):
            values.pop(name, None)
        elif name not in values:
            values[name] = []  # the carrier has tags, this version has none
    return values


def trace_of(values: Mapping[str, Any]) -> Trace:
    """The trace with these ``attributes``, or with the part of them that an index projects."""
    shared = {name: values[name] for name in _SHARED if name in values}
    merge = values.get("merge")
    vector = values.get("embedding")
    return Trace(
        id=values["id"],
        content=values["content"],
        tags=tuple(values.get("tags", ())),
        version=int(values["version"]),
        status=Status(values["status"]),
        change=Change(values.get("change", Change.ADDED)),
        created_at=datetime.fromisoformat(values["createdAt"]),
        changed_at=datetime.fromisoformat(values["changedAt"]),
        occurred_at=datetime.fromisoformat(values["occurredAt"]) if "occurredAt" in values else None,
        expires_at=datetime.fromtimestamp(int(values["expiresAt"]), UTC) if "expiresAt" in values else None,
        retrieval_count=int(values.get("retrievalCount", 0)),
        last_retrieved_at=datetime.fromisoformat(values["lastRetrievedAt"]) if "lastRetrievedAt" in values else None,
        embedding=Embedding(values["embeddingModel"], bytes(vector)) if vector is not None else None,
        merged_from=tuple(values.get("mergedFrom", ())),
        merged_into=values.get("mergedInto"),
        merge=merge
        and MergeRecord(tuple(merge["sources"]), int(merge["replaced"]), int(merge["outcome"]), merge["call"]),
        reason=values.get("reason"),
        inline_history=tuple(trace_of({**shared, **version}) for version in values.get("inlineHistory", ())),
        writes=tuple(values.get("writes", ())),
    )


# ---------------------------------------------------------------- sizes, by the DynamoDB Developer Guide, "Item sizes"


def size_of(value: Any) -> int:
    """The bytes of an attribute's value."""
    match value:
        case str() | bytes():
            return len(value.encode() if isinstance(value, str) else value)
        case bool() | None:
            return 1
        case int():
            return 2 + (len(str(abs(value))) + 1) // 2
        case Mapping():
            return _CONTAINER + len(value) + size_of_item(value)
        case list() | tuple():
            return _CONTAINER + len(value) + sum(map(size_of, value))
        case _:  # a set
            return sum(map(size_of, value))


def size_of_item(values: Mapping[str, Any]) -> int:
    """The bytes of the attributes, with their names."""
    return sum(len(name.encode()) + size_of(value) for name, value in values.items())


def require_storable(traces: Iterable[Mapping[str, Any]], replaced: Iterable[Mapping[str, Any]] = ()) -> None:
    """Raise TooLarge if one of a transaction's traces, or all of its items together, exceed what DynamoDB stores.

    ``replaced`` are the versions that get an item of their own.
    """
    total = sum(map(size_of_item, replaced))
    for values in traces:
        size = size_of_item(values)
        total += size
        copied = {name: value for name, value in values.items() if name in _COPIED}
        _require(size + size_of_item(copied), ITEM_LIMIT, "A memory", "Shorten its text or its tags")
    _require(total, TRANSACTION_LIMIT, "What this call changes", "Send it in several calls, with fewer memories each")


def _require(size: int, limit: int, what: str, advice: str) -> None:
    if size > limit:
        raise TooLarge(
            f"{what} would take {size} bytes with its history; the limit is {limit}. Nothing was written. {advice}.",
            size=size,
            limit=limit,
        )
