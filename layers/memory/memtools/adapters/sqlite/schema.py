"""The schema of the file, and how a file of an older version becomes one of this version."""

import sqlite3
from typing import Final

from memtools.adapters.translation import Cause
from memtools.errors import Fault

# "memt": tells a file of memtools from every other SQLite file.
_APPLICATION: Final = 0x6D656D74

# What each version of the schema adds to the one before; never changed once it is released. Times are ISO 8601 in UTC,
# which sort as text, except `purge_at`: whole seconds since 1970, as in an export.
_STEPS: Final = (
    (
        # `text_key` is the key of the text that the trace says, unless it is deleted: an add finds it there, whatever
        # text the trace was created with. `data` has all attributes that have no column. `changed_before` is when an
        # imported trace changed last before its import.
        """CREATE TABLE traces (
            scope TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, text_key TEXT, changed_at TEXT NOT NULL,
            changed_before TEXT, purge_at INTEGER, retrieval_count INTEGER NOT NULL, last_retrieved_at TEXT,
            embedding_model TEXT, embedding BLOB, data TEXT NOT NULL, PRIMARY KEY (scope, id)
        )""",
        "CREATE INDEX traces_by_change ON traces (scope, changed_at, id)",
        "CREATE INDEX traces_by_text ON traces (scope, text_key, id)",
        "CREATE INDEX traces_by_purge ON traces (purge_at) WHERE purge_at IS NOT NULL",
        """CREATE TABLE history (
            scope TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, purge_at INTEGER NOT NULL,
            data TEXT NOT NULL, PRIMARY KEY (scope, id, version)
        )""",
        "CREATE INDEX history_by_purge ON history (purge_at)",
        # `owner` is a scope, or an agent for the documents that no tool changes. `text` is NULL where a document was
        # deleted. The row with the highest number is the current version.
        """CREATE TABLE documents (
            number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,
            text BLOB, edit TEXT, replaces TEXT, writes TEXT, written_at TEXT NOT NULL, purge_at INTEGER
        )""",
        "CREATE INDEX documents_by_name ON documents (owner, name, number)",
        "CREATE INDEX documents_by_purge ON documents (purge_at) WHERE purge_at IS NOT NULL",
        """CREATE TABLE segments (
            scope TEXT PRIMARY KEY, tag TEXT NOT NULL, data BLOB NOT NULL, purge_at INTEGER
        )""",
        "CREATE TABLE erasures (scope TEXT PRIMARY KEY, erased_at TEXT NOT NULL, purge_at INTEGER NOT NULL)",
        "CREATE TABLE clock (reached TEXT NOT NULL)",
        "INSERT INTO clock VALUES ('1970-01-01T00:00:00.000000Z')",
    ),
)


def prepare(connection: sqlite3.Connection) -> None:
    """Give the file this version's schema. Raises Fault like ``version_of``."""
    if version_of(connection) == len(_STEPS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        version = version_of(connection)
        for step in _STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(_STEPS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the schema; 0 for a file that is empty. Changes nothing.

    Raises Fault for another program's file, and for a file of a newer version.
    """
    # One statement reads one state: another process may make the schema at this moment.
    query = (
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    )
    application, version, tables = connection.execute(query).fetchone()
    if application != _APPLICATION and (tables or application or version):
        raise Fault("The file of the memory belongs to another program. Nothing was changed. Name another file.") from (
            Cause("application_id")
        )
    if version > len(_STEPS):
        raise Fault(
            f"The memory was written by a newer version of memtools: its schema is {version}, and this version knows"
            f" {len(_STEPS)}. Nothing was changed. Install the newer version."
        ) from Cause("user_version")
    return int(version)
