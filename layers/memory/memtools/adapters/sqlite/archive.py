"""The archive of a memory in a file: what export, import and erase do to it."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from memtools.adapters.archive.port import Documents, Entry
from memtools.adapters.archive.records import DocumentVersion, Replaced, sort_key, version_of
from memtools.adapters.sqlite import imported
from memtools.adapters.sqlite.file import MemoryFile, stamped
from memtools.adapters.sqlite.personas import owner_of
from memtools.adapters.sqlite.rows import trace_of_row, trace_of_text
from memtools.adapters.values import moment_text
from memtools.domain.scope import Scope
from memtools.domain.trace import ERASURE_KEPT, Trace
from memtools.domain.versions import within_retention
from memtools.errors import Unavailable

_PAGE: Final = 1000
# The sort keys of DynamoDB's items, so that exports of equal memories are equal files.
_HISTORY: Final = (
    "SELECT 'history#' || id || '#' || printf('%010d', version) AS key, data, purge_at FROM history"
    " WHERE scope = ? AND purge_at > ? AND key > ? ORDER BY key"
)
_TRACES: Final = (
    "SELECT 'trace#' || id AS key, changed_before, data, changed_at, retrieval_count, last_retrieved_at,"
    " embedding_model, embedding FROM traces WHERE scope = ? AND key > ? ORDER BY key"
)
_ENTRIES: Final = """
    SELECT 'traces', id, NULL FROM traces WHERE scope = :scope
    UNION ALL SELECT 'history', id, CAST(version AS TEXT) FROM history WHERE scope = :scope
    UNION ALL SELECT iif(text IS NULL, 'deletionMarkers', 'documentVersions'), name, version
        FROM documents WHERE owner = :scope
    UNION ALL SELECT 'segmentVersions', scope, tag FROM segments WHERE scope = :scope AND purge_at IS NULL
"""
_DELETIONS: Final = {
    "traces": "DELETE FROM traces WHERE scope = :scope AND id = :key",
    "history": "DELETE FROM history WHERE scope = :scope AND id = :key AND version = :version",
    "documentVersions": "DELETE FROM documents WHERE owner = :scope AND name = :key AND version = :version",
    "deletionMarkers": "DELETE FROM documents WHERE owner = :scope AND name = :key AND version = :version",
    "segmentVersions": "DELETE FROM segments WHERE scope = :scope AND tag = :version",
}
_MARKER_KEPT: Final = timedelta(days=1)


class FileArchive:
    """The Archive in a file. ``retention`` is how long replaced versions are kept."""

    batch = 1000
    remaining = (
        "For 30 days the time of the erasure, and for a day a marker in place of the index. They have no content. They"
        " keep processes that knew the memory from storing it again."
    )

    def __init__(self, file: MemoryFile, retention: timedelta) -> None:
        self._file = file
        self._retention = retention

    @property
    def place(self) -> Mapping[str, str]:
        return {"file": str(self._file.path)}

    def record_pages(self, scope: Scope, after: str | None = None) -> Iterator[list[Trace | Replaced]]:
        """See the port. All pages are of one state, whatever others write meanwhile."""
        now = self._file.now()
        with self._file.reading() as connection:
            yield from self._pages(connection, scope, now, after or "")

    def _pages(
        self, connection: sqlite3.Connection, scope: Scope, now: datetime, after: str = ""
    ) -> Iterator[list[Trace | Replaced]]:
        found = connection.execute(_HISTORY, [scope.key, int(now.timestamp()), after])
        while rows := found.fetchmany(_PAGE):
            yield [Replaced(trace_of_text(data), purge_at) for _, data, purge_at in rows]
        found = connection.execute(_TRACES, [scope.key, after])
        while rows := found.fetchmany(_PAGE):
            yield [within_retention(_exported(row), now - self._retention) for row in rows]

    def current_versions(self, scope: Scope) -> dict[str, int | None]:
        records = (record for page in self.record_pages(scope) for record in page)
        return {sort_key(record): version_of(record) for record in records}

    def documents(self, scope: Scope) -> list[DocumentVersion]:
        with self._file.reading() as connection:
            return imported.documents(connection, scope)

    def document_names(self, scope: Scope) -> list[tuple[str, str]]:
        query = "SELECT name, version FROM documents WHERE owner = ? ORDER BY name, number"
        with self._file.reading() as connection:
            return connection.execute(query, [scope.key]).fetchall()

    def write_all(self, scope: Scope, records: Sequence[Trace | Replaced], documents: Documents) -> Iterator[int]:
        """See the port. All of it is one transaction."""
        plan = imported.plan_of(records)
        now = self._file.now()
        with self._file.writing() as connection:
            there = [record for page in self._pages(connection, scope, now) for record in page]
            missing = imported.missing(scope, plan, there)
            versions = imported.missing_versions(connection, scope, documents)
            start = stamped(connection, now)
            imported.write_records(connection, scope, missing, start, self._retention)
            for some in versions:
                imported.write_versions(connection, scope, some, start, self._retention)
        yield len(plan)
        yield from map(len, documents.values())

    def entries_of(self, scope: Scope) -> Iterator[Entry]:
        with self._file.reading() as connection:
            found = connection.execute(_ENTRIES, {"scope": scope.key}).fetchall()
        return (Entry(*row) for row in found)

    def delete(self, scope: Scope, entries: Sequence[Entry]) -> None:
        with self._file.writing() as connection:
            for one in entries:
                values = {"scope": scope.key, "key": one.key, "version": one.version}
                connection.execute(_DELETIONS[one.kind], values)

    def mark_erased(self, scope: Scope) -> None:
        """See the port. Afterwards no byte of the file, or of the files beside it, has what was erased."""
        now = self._file.now()
        with self._file.writing() as connection:
            moment = stamped(connection, now)
            kept = [int((moment + kept).timestamp()) for kept in (ERASURE_KEPT, _MARKER_KEPT)]
            connection.execute("REPLACE INTO erasures VALUES (?, ?, ?)", [scope.key, moment_text(moment), kept[0]])
            # A save that began before has the condition that the segment is the one that it read.
            marker = [scope.key, uuid4().hex, b"", kept[1]]
            connection.execute("REPLACE INTO segments (scope, tag, data, purge_at) VALUES (?, ?, ?, ?)", marker)
        self._file.forget_the_log()

    def read_agent_document(self, scope: Scope, name: str) -> bytes | None:
        query = "SELECT text FROM documents WHERE owner = ? AND name = ? ORDER BY number DESC LIMIT 1"
        with self._file.reading() as connection:
            row = connection.execute(query, [owner_of(scope, name), name]).fetchone()
        data: bytes | None = row and row[0]
        return data

    def create_agent_document(self, scope: Scope, name: str, data: bytes) -> None:
        now = self._file.now()
        with self._file.writing() as connection:
            query = "SELECT 1 FROM documents WHERE owner = ? AND name = ?"
            if connection.execute(query, [owner_of(scope, name), name]).fetchone():
                raise Unavailable(f"Somebody else has just written {name}. Run the command again.")
            imported.insert_version(connection, owner_of(scope, name), name, now, text=data)


def _exported(row: Any) -> Trace:
    """The trace; an imported one that has not changed since has the time of its last change before the import."""
    _, changed_before, *rest = row
    trace = trace_of_row(rest)
    return replace(trace, changed_at=datetime.fromisoformat(changed_before)) if changed_before else trace
