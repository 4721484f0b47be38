"""Traces in the file: a row for each, and one for each replaced version."""

import heapq
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from memtools.adapters.sqlite.file import MemoryFile, stamped
from memtools.adapters.sqlite.rows import (
    COLUMNS,
    INSERT,
    INSERT_HISTORY,
    SELECT,
    find,
    history_row,
    row_of,
    trace_of_row,
    trace_of_text,
)
from memtools.adapters.values import moment_text
from memtools.current_call import Metric, increment
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace, erasure, key_of
from memtools.domain.versions import as_past, within_retention
from memtools.errors import ToolError
from memtools.ports import ConditionFailed, KeyState, StillSays, Write

_PAGE: Final = 1000
CLAIMS: Final = "SELECT id FROM traces WHERE scope = ? AND text_key = ? ORDER BY id"
_NAMES: Final = COLUMNS.split(", ")[2:]
_UPDATE: Final = f"UPDATE traces SET {', '.join(f'{name} = ?' for name in _NAMES)} WHERE scope = ? AND id = ?"  # noqa: S608


class SqliteTraces:
    """The TraceStore in the file. Replaced versions are purged ``retention`` after their replacement."""

    def __init__(self, file: MemoryFile, retention: timedelta) -> None:
        self._file = file
        self._retention = retention

    def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Trace]:
        with self._file.reading() as connection:
            found = [find(connection, scope, name) for name in dict.fromkeys(ids)]
        return {trace.id: trace for trace in found if trace}

    def commit(self, scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays] = ()) -> None:
        with self._file.writing() as connection:
            if found := _in_the_way(connection, scope, stamp, writes, conditions):
                raise ConditionFailed(found)
            now = stamped(connection, stamp.now)
            for write in writes:
                after = within_retention(write.after, stamp.now - self._retention)
                after = replace(after, changed_at=now) if now != stamp.now else after
                self._take(connection, scope, stamp, replace(write, after=after))

    def _take(self, connection: sqlite3.Connection, scope: Scope, stamp: Stamp, write: Write) -> None:
        before, after = write.before, write.after
        # All but the last version inside get rows of their own; the last one stays, so that an unmerge finds it.
        inside = after.inline_history
        past = [(one, later.changed_at) for one, later in pairwise(inside)]
        if before and not inside:
            past = [(as_past(before), stamp.now)]
        for version, replaced_at in past:
            purge_at = int((replaced_at + self._retention).timestamp())
            connection.execute(INSERT_HISTORY, history_row(scope, version, purge_at))
        after = replace(after, inline_history=inside[-1:])
        if before is None:
            connection.execute(INSERT, row_of(scope, after, self._retention))
            return
        standing = find(connection, scope, after.id)
        assert standing is not None
        counted = standing.retrieval_count + after.retrieval_count - before.retrieval_count
        after = replace(after, retrieval_count=counted, last_retrieved_at=standing.last_retrieved_at)
        key, name, *values = row_of(scope, after, self._retention)
        connection.execute(_UPDATE, [*values, key, name])

    def changes(self, scope: Scope, since: datetime | None) -> Iterator[Trace]:
        start = moment_text(since) if since else ""
        return heapq.merge(self._erasures(scope, start), self._changed(scope, start), key=lambda one: one.changed_at)

    def _erasures(self, scope: Scope, start: str) -> Iterator[Trace]:
        with self._file.reading() as connection:
            query = "SELECT erased_at FROM erasures WHERE scope = ? AND erased_at >= ?"
            found = connection.execute(query, [scope.key, start]).fetchone()
        if found:
            yield erasure(datetime.fromisoformat(found[0]))

    def _changed(self, scope: Scope, start: str) -> Iterator[Trace]:
        after = (start, "")
        query = f"{SELECT} AND (changed_at, id) > (?, ?) ORDER BY changed_at, id LIMIT {_PAGE}"
        while True:
            with self._file.reading() as connection:
                page = [trace_of_row(row) for row in connection.execute(query, [scope.key, *after])]
            yield from page
            if len(page) < _PAGE:
                return
            after = (moment_text(page[-1].changed_at), page[-1].id)

    def history(self, scope: Scope, trace_id: str, now: datetime) -> Iterator[Trace]:
        query = "SELECT data FROM history WHERE scope = ? AND id = ? AND purge_at > ? ORDER BY version DESC"
        with self._file.reading() as connection:
            found = connection.execute(query, [scope.key, trace_id, int(now.timestamp())]).fetchall()
        return (trace_of_text(text) for (text,) in found)

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        """See the port. What cannot be counted is read all the same: a count is worth less than an answer."""
        try:
            with self._file.writing() as connection:
                found = [_counted(connection, scope, name, expected[name], now) for name in expected]
        except ToolError:
            increment(Metric.RETRIEVAL_UNCOUNTED)
            return self.get(scope, list(expected))
        return {trace.id: trace for trace in found if trace}


def _counted(connection: sqlite3.Connection, scope: Scope, name: str, version: int, now: datetime) -> Trace | None:
    """Count one retrieval, if the trace is alive at this version; the trace as it is now, if there is one."""
    trace = find(connection, scope, name)
    if trace is None or trace.version != version or not trace.alive(now):
        return trace
    trace = replace(trace, retrieval_count=trace.retrieval_count + 1, last_retrieved_at=now)
    update = "UPDATE traces SET retrieval_count = ?, last_retrieved_at = ? WHERE scope = ? AND id = ?"
    connection.execute(update, [trace.retrieval_count, moment_text(now), scope.key, name])
    return trace


def _in_the_way(
    connection: sqlite3.Connection,
    scope: Scope,
    stamp: Stamp,
    writes: Sequence[Write],
    conditions: Sequence[StillSays],
) -> dict[str, KeyState]:
    """The states of the keys at which not all is as expected."""
    keys = [key for write in writes for key in _obstacles(connection, scope, write)]
    for one in conditions:
        trace = find(connection, scope, one.id)
        if trace is None or not trace.alive(stamp.now) or not trace.says(one.content):
            keys.append(one.id)
    return {key: KeyState(find(connection, scope, key), _claimed_by(connection, scope, key)) for key in keys}


def _obstacles(connection: sqlite3.Connection, scope: Scope, write: Write) -> Iterator[str]:
    standing, before = find(connection, scope, write.after.id), write.before
    if before is None:
        if standing is not None:
            yield write.after.id
        key = key_of(scope, write.after.content)
        if set(_claimed_by(connection, scope, key)) != set(write.claimed_by):
            yield key
    elif (
        standing is None
        or standing.version != before.version
        or (write.counted and standing.retrieval_count != before.retrieval_count)
    ):
        yield write.after.id


def _claimed_by(connection: sqlite3.Connection, scope: Scope, key: str) -> tuple[str, ...]:
    """The traces that say the text of this key, but were created with another one."""
    return tuple(name for (name,) in connection.execute(CLAIMS, [scope.key, key]) if name != key)
