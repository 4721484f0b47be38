"""Traces as plain values: how every store and every export writes them.

Absent values are left out. Times are ISO 8601 and sort as text.
"""

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from memtools.domain.trace import Change, Embedding, MergeRecord, Status, Trace

Values = dict[str, Any]


def moment_text(moment: datetime) -> str:
    """UTC with microseconds, always of the same width, so that texts sort like times."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


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


def with_text(values: Values) -> Values:
    """The values as JSON has them: bytes are base64."""
    return _with_embedding(values, lambda vector: base64.b64encode(vector).decode())


def with_bytes(values: Values) -> Values:
    """The values that ``with_text`` was given. Raises ValueError for what is no base64."""
    return _with_embedding(values, lambda text: base64.b64decode(text, validate=True))


def _with_embedding(values: Values, convert: Callable[[Any], Any]) -> Values:
    """The trace's values, including its inline history, with every vector converted."""
    found = dict(values)
    if "embedding" in found:
        found["embedding"] = convert(found["embedding"])
    if "inlineHistory" in found:
        found["inlineHistory"] = [_with_embedding(version, convert) for version in found["inlineHistory"]]
    return found


def trace_sort_key(trace_id: str) -> str:
    """The sort key of the item that has a trace and the claims to its text."""
    return f"trace#{trace_id}"


def history_prefix(trace_id: str) -> str:
    """What the sort keys of a trace's replaced versions start with."""
    return f"history#{trace_id}#"


def history_sort_key(trace_id: str, version: int) -> str:
    """The sort key of a replaced version. Versions sort as numbers."""
    return f"{history_prefix(trace_id)}{version:010d}"
