"""Traces as rows, and back."""

import json
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from memtools.adapters.values import attributes, moment_text, trace_of, with_bytes, with_text
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Status, Trace, key_of

COLUMNS: Final = (
    "scope, id, version, text_key, changed_at, changed_before, purge_at, retrieval_count, last_retrieved_at,"
    " embedding_model, embedding, data"
)
_READ: Final = "data, changed_at, retrieval_count, last_retrieved_at, embedding_model, embedding"
SELECT: Final = f"SELECT {_READ} FROM traces WHERE scope = ?"  # noqa: S608 - names of ours
INSERT: Final = f"INSERT INTO traces ({COLUMNS}) VALUES ({', '.join('?' * 12)})"  # noqa: S608
INSERT_HISTORY: Final = "INSERT INTO history (scope, id, version, purge_at, data) VALUES (?, ?, ?, ?, ?)"


def row_of(scope: Scope, trace: Trace, retention: timedelta, changed_before: datetime | None = None) -> tuple[Any, ...]:
    """The values of COLUMNS. A fact that expires keeps its row for the retention, so that its versions go on."""
    embedding, expiry = trace.embedding, trace.expires_at
    purge_at = expiry and int((expiry + (retention if trace.live else timedelta())).timestamp())
    bare = replace(trace, embedding=None, retrieval_count=0, last_retrieved_at=None)
    return (
        scope.key,
        trace.id,
        trace.version,
        None if trace.status is Status.DELETED else key_of(scope, trace.content),
        moment_text(trace.changed_at),
        changed_before and moment_text(changed_before),
        purge_at,
        trace.retrieval_count,
        trace.last_retrieved_at and moment_text(trace.last_retrieved_at),
        embedding and embedding.model,
        embedding and embedding.vector,
        text_of_trace(bare),
    )


def trace_of_row(row: Any) -> Trace:
    """The trace of a row that SELECT reads."""
    data, changed_at, count, last_retrieved_at, model, vector = row
    return replace(
        trace_of_text(data),
        changed_at=datetime.fromisoformat(changed_at),
        retrieval_count=count,
        last_retrieved_at=last_retrieved_at and datetime.fromisoformat(last_retrieved_at),
        embedding=Embedding(model, vector) if vector is not None else None,
    )


def history_row(scope: Scope, version: Trace, purge_at: int) -> tuple[Any, ...]:
    """The values of INSERT_HISTORY."""
    return scope.key, version.id, version.version, purge_at, text_of_trace(version)


def text_of_trace(trace: Trace) -> str:
    """The trace as JSON."""
    return json.dumps(with_text(attributes(trace)), ensure_ascii=False, separators=(",", ":"))


def trace_of_text(text: str) -> Trace:
    """The trace of such a JSON text."""
    return trace_of(with_bytes(json.loads(text)))


def find(connection: sqlite3.Connection, scope: Scope, trace_id: str) -> Trace | None:
    """The trace with this id, if there is one."""
    row = connection.execute(f"{SELECT} AND id = ?", [scope.key, trace_id]).fetchone()
    return row and trace_of_row(row)
