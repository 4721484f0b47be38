"""SQLite's full-text index: words reduced to their stems, no vectors."""

import re
import sqlite3
from collections.abc import Sequence

from benchmarks.peer_systems.task import Vectors

_WORD = re.compile(r"\w+")


def version() -> str:
    """The version of SQLite that this Python has."""
    return sqlite3.sqlite_version


class Fts5:
    """A table a scope, in memory; its row ids are the ids."""

    seconds_apart = 0.0

    def __init__(self, vectors: Vectors) -> None:
        self._database = sqlite3.connect(":memory:")
        self._tables: dict[str, str] = {}

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        """One transaction."""
        table = self._table(scope)
        with self._database:
            rows = [self._database.execute(f"INSERT INTO {table} VALUES (?)", (text,)).lastrowid for text in texts]
        return [str(row) for row in rows]

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        """What has any of the words, by BM25."""
        table = self._table(scope)
        statement = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY bm25({table}) LIMIT ?"
        return [str(row) for (row,) in self._database.execute(statement, (any_word_of(text), limit))]

    def _table(self, scope: str) -> str:
        if scope not in self._tables:
            self._tables[scope] = f"scope_{len(self._tables)}"
            self._database.execute(f"CREATE VIRTUAL TABLE {self._tables[scope]} USING fts5(text, tokenize = 'porter')")
        return self._tables[scope]


def any_word_of(text: str) -> str:
    """The query for texts with at least one word of ``text``; quoted, since a word may be one of FTS5's own."""
    return " OR ".join(f'"{word}"' for word in _WORD.findall(text))
