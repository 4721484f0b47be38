"""Persona documents in the file: a row for each version."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from memtools.adapters.sqlite.file import MemoryFile
from memtools.adapters.values import moment_text
from memtools.domain.document import ABSENT, FILES, Document, text_of
from memtools.domain.scope import Scope
from memtools.ports import ConditionFailed

_SELECT: Final = (
    "SELECT name, text, version, edit, replaces, writes, written_at FROM documents WHERE owner = ? AND name = ?"
)
INSERT: Final = (
    "INSERT INTO documents (owner, name, version, text, edit, replaces, writes, written_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
REPLACED: Final = "UPDATE documents SET purge_at = ? WHERE owner = ? AND name = ? AND purge_at IS NULL"


def owner_of(scope: Scope, name: str) -> str:
    """Whose document it is: the agent's if no tool changes it, else that of agent and user. A scope has a slash."""
    return scope.key if name in FILES.values() else scope.agent_path


class SqlitePersonas:
    """The PersonaStore in the file. Replaced versions are purged ``retention`` after their replacement."""

    def __init__(self, file: MemoryFile, retention: timedelta) -> None:
        self._file = file
        self._retention = retention

    def read(self, scope: Scope, names: Sequence[str]) -> dict[str, Document]:
        with self._file.reading() as connection:
            found = [_current(connection, scope, name) for name in names]
        return {document.name: document for document in found if document}

    def versions(self, scope: Scope, name: str, limit: int) -> list[Document]:
        query = f"{_SELECT} AND text IS NOT NULL ORDER BY number DESC LIMIT ?"
        with self._file.reading() as connection:
            rows = connection.execute(query, [owner_of(scope, name), name, limit]).fetchall()
        return [_document(row) for row in rows]

    def version(self, scope: Scope, name: str, version: str) -> Document | None:
        query = f"{_SELECT} AND version = ? AND text IS NOT NULL"
        with self._file.reading() as connection:
            row = connection.execute(query, [owner_of(scope, name), name, version]).fetchone()
        return row and _document(row)

    def write(self, scope: Scope, document: Document, replaces: Document | None) -> Document:
        now, version, owner = self._file.now(), str(uuid4()), owner_of(scope, document.name)
        replaced = replaces.version if replaces else ABSENT
        with self._file.writing() as connection:
            standing = _current(connection, scope, document.name)
            if (standing and standing.tag) != (replaces and replaces.tag):
                raise ConditionFailed
            connection.execute(REPLACED, [int((now + self._retention).timestamp()), owner, document.name])
            row = (owner, document.name, version, document.text.encode(), document.edit, replaced)
            connection.execute(INSERT, [*row, ",".join(document.writes), moment_text(now)])
        return replace(document, version=version, tag=version, replaces=replaced)


def _current(connection: Any, scope: Scope, name: str) -> Document | None:
    query = f"{_SELECT} ORDER BY number DESC LIMIT 1"
    row = connection.execute(query, [owner_of(scope, name), name]).fetchone()
    return _document(row) if row and row[1] is not None else None


def _document(row: Any) -> Document:
    name, text, version, edit, replaces, writes, written_at = row
    return Document(
        name=name,
        text=text_of(name, text),
        version=version,
        tag=version,
        edit=edit or "",
        replaces=replaces,
        written_at=datetime.fromisoformat(written_at),
        writes=tuple(filter(None, (writes or "").split(","))),
    )
