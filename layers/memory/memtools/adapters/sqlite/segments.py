"""Segments in the file, one row for each scope."""

from uuid import uuid4

from memtools.adapters.sqlite.file import MemoryFile
from memtools.domain.scope import Scope
from memtools.ports import ConditionFailed, StoredSegment


class SqliteSegments:
    """The SegmentStore in the file."""

    def __init__(self, file: MemoryFile) -> None:
        self._file = file

    def load(self, scope: Scope) -> StoredSegment | None:
        with self._file.reading() as connection:
            row = connection.execute("SELECT data, tag FROM segments WHERE scope = ?", [scope.key]).fetchone()
        return row and StoredSegment(*row)

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        tag = uuid4().hex
        with self._file.writing() as connection:
            row = connection.execute("SELECT tag FROM segments WHERE scope = ?", [scope.key]).fetchone()
            if (row and row[0]) != replaces:
                raise ConditionFailed
            connection.execute("REPLACE INTO segments (scope, tag, data) VALUES (?, ?, ?)", [scope.key, tag, data])
        return tag
