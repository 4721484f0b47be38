"""Writes the records of an export into a scope of the file, and reads the versions of its documents for one."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from memtools.adapters.archive.port import Documents, not_empty
from memtools.adapters.archive.records import DocumentVersion, Replaced, sort_key
from memtools.adapters.sqlite.personas import INSERT as INSERT_DOCUMENT
from memtools.adapters.sqlite.personas import REPLACED
from memtools.adapters.sqlite.rows import INSERT, INSERT_HISTORY, history_row, row_of
from memtools.adapters.values import moment_text
from memtools.domain.document import ABSENT
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.domain.undoing import with_versions

_DOCUMENTS: Final = (
    "SELECT name, version, text, edit, replaces, writes, written_at FROM documents WHERE owner = ?"
    " ORDER BY name, number"
)


def plan_of(records: Sequence[Trace | Replaced]) -> dict[str, Trace | Replaced]:
    """The records by sort key, in the order in which they changed. Raises ValueError if one occurs twice."""
    plan: dict[str, Trace | Replaced] = {}
    for record in sorted(records, key=lambda one: (one if isinstance(one, Trace) else one.trace).changed_at):
        key = sort_key(record)
        if key in plan:
            raise ValueError(f"holds {key} twice")
        plan[key] = record
    return plan


def missing(
    scope: Scope, plan: Mapping[str, Trace | Replaced], there: Iterable[Trace | Replaced]
) -> list[Trace | Replaced]:
    """What of the plan is not there. Raises Conflict if there is anything else, counts of retrievals aside."""
    written = set()
    for found in there:
        planned = plan.get(sort_key(found))
        if isinstance(found, Trace) and isinstance(planned, Trace):
            counts = {name: getattr(planned, name) for name in ("retrieval_count", "last_retrieved_at")}
            found = replace(found, **counts)  # noqa: PLW2901 - a search may have counted in the meantime
        if found != planned:
            raise not_empty(scope)
        written.add(sort_key(found))
    return [record for key, record in plan.items() if key not in written]


def write_records(
    connection: sqlite3.Connection,
    scope: Scope,
    records: Sequence[Trace | Replaced],
    start: datetime,
    retention: timedelta,
) -> None:
    """Write the records. Traces change now, a microsecond apart, because searches read what has changed since."""
    for place, record in enumerate(records):
        if isinstance(record, Replaced):
            connection.execute(INSERT_HISTORY, history_row(scope, record.trace, record.expires_at))
        else:
            now = replace(record, changed_at=start + timedelta(microseconds=place))
            connection.execute(INSERT, row_of(scope, now, retention, changed_before=record.changed_at))


def documents(connection: sqlite3.Connection, scope: Scope) -> list[DocumentVersion]:
    """All versions of the scope's documents, document by document, oldest first; in an export they are numbered."""
    rows = connection.execute(_DOCUMENTS, [scope.key]).fetchall()
    numbers: dict[str, dict[str, str]] = {}
    for name, version, *_ in rows:
        mine = numbers.setdefault(name, {})
        mine[version] = f"#{len(mine)}"
    return [_exported(row, numbers[row[0]]) for row in rows]


def _exported(row: Any, numbers: Mapping[str, str]) -> DocumentVersion:
    name, _, text, edit, replaces, writes, written_at = row
    if text is None:
        return DocumentVersion(name=name)
    return DocumentVersion(
        name=name,
        data=text,
        edit=None if edit is None else with_versions(edit, numbers),
        is_first=replaces == ABSENT,
        writes=writes,
        written_at=written_at,
    )


def missing_versions(
    connection: sqlite3.Connection, scope: Scope, planned: Documents
) -> list[Sequence[DocumentVersion]]:
    """The versions of each document that are still missing. Raises Conflict if there are others."""
    found: dict[str, list[DocumentVersion]] = {}
    for version in documents(connection, scope):
        found.setdefault(version.name, []).append(version)
    if any(versions != planned.get(name, [])[: len(versions)] for name, versions in found.items()):
        raise not_empty(scope)
    rest = [versions[len(found.get(name, [])) :] for name, versions in planned.items()]
    return [versions for versions in rest if versions]


def write_versions(
    connection: sqlite3.Connection,
    scope: Scope,
    versions: Sequence[DocumentVersion],
    now: datetime,
    retention: timedelta,
) -> None:
    """Write versions of one document after those that are there."""
    name = versions[0].name
    query = "SELECT version, text IS NULL FROM documents WHERE owner = ? AND name = ? ORDER BY number"
    earlier = connection.execute(query, [scope.key, name]).fetchall()
    for version in versions:
        names = {f"#{place}": one for place, (one, _) in enumerate(earlier)}
        follows = bool(earlier) and not earlier[-1][1]
        connection.execute(REPLACED, [int((now + retention).timestamp()), scope.key, name])
        made = insert_version(
            connection,
            scope.key,
            name,
            datetime.fromisoformat(version.written_at) if version.written_at else now,
            text=version.data,
            edit=version.edit and with_versions(version.edit, names),
            replaces=ABSENT if version.is_first else (earlier[-1][0] if follows else None),
            writes=version.writes,
        )
        earlier.append((made, version.data is None))


def insert_version(
    connection: sqlite3.Connection,
    owner: str,
    name: str,
    written_at: datetime,
    *,
    text: bytes | None,
    edit: str | None = None,
    replaces: str | None = None,
    writes: str | None = None,
) -> str:
    """Write a version of a document; its name."""
    version = str(uuid4())
    row = [owner, name, version, text, edit, replaces, writes, moment_text(written_at)]
    connection.execute(INSERT_DOCUMENT, row)
    return version
