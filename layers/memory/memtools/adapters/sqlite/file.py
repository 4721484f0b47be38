"""The file: its connections, its transactions, its time, and SQLite's errors in our words."""

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from memtools.adapters.sqlite.schema import prepare, version_of
from memtools.adapters.translation import READ_FAILED, WRITE_FAILED, Cause
from memtools.adapters.values import moment_text
from memtools.current_call import deadline
from memtools.errors import Fault, TooLarge, ToolError, Unavailable
from memtools.retry import attempts

# How long a write waits for those of other processes, and of other threads.
BUSY_SECONDS: Final = 5.0
# How far the time of any process may be ahead of what the file says. A search reads again what changed in the three
# minutes before the last one (freshness/indexes.py), which is more than twice as much.
AHEAD: Final = timedelta(minutes=1)
_PURGED_AT_ONCE: Final = 1000
_PASSING: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_INTERRUPT}
_TABLES_TO_PURGE: Final = ("traces", "history", "documents", "segments", "erasures")

# Held while a file is made, so that no other thread opens it before it is closed again.
_opening: Final = threading.Lock()


def _wall() -> datetime:
    return datetime.now(UTC)


class MemoryFile:
    """One file for traces, documents and segments. Thread-safe; any number of processes may use it at once.

    Only its owner can read it. What is deleted is overwritten. A write is on the disk before its caller goes on.
    """

    def __init__(self, path: Path, wall: Callable[[], datetime] = _wall) -> None:
        """``wall`` is the clock of this machine. The file is made when it is first used."""
        self.path = path
        self._wall = wall
        self._idle: list[sqlite3.Connection] = []
        self._turn = threading.Lock()
        # A process that ends closes its connections, so that the last one merges the log into the file.
        weakref.finalize(self, _close_all, self._idle)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the file, whatever others write meanwhile. Raises Unavailable or Fault."""
        with _translated(READ_FAILED), self._connection() as connection, _transaction(connection, "BEGIN"):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, the only one that writes; taken back if an error leaves it.

        Raises Unavailable if others write for too long, TooLarge if the disk is full, or Fault.
        """
        turn, begin = self._in_turn(), "BEGIN IMMEDIATE"
        with _translated(WRITE_FAILED), turn, self._connection() as connection, _transaction(connection, begin):
            yield connection

    def now(self) -> datetime:
        """The file's time, which never goes back: that of this machine's clock, or what the file has reached if later.

        What it has reached is written to the file once in AHEAD / 2, by a process that reads or writes. The time never
        is later by more than AHEAD: a process that is stopped in the middle of a write stops the time for all others,
        so that none of them has looked past what it writes when it goes on.
        """
        wall = self._wall()
        with self.reading() as connection:
            reached = reached_by(connection)
        if wall - reached > AHEAD / 2:
            with suppress(Unavailable, TooLarge), self.writing() as connection:
                reached = max(wall, reached_by(connection))
                connection.execute("UPDATE clock SET reached = ?", [moment_text(reached)])
                _purge(connection, reached)
        return min(max(wall, reached), reached + AHEAD)

    def forget_the_log(self) -> None:
        """Empty the write-ahead log, which may still have what was deleted. Raises Unavailable if others read."""
        with _translated(WRITE_FAILED), self._in_turn(), self._connection() as connection:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise Unavailable("Other processes use the memory. Run the command again in a moment.")

    def problems(self) -> list[str]:
        """What SQLite finds wrong with the file. Raises Unavailable, or Fault if it cannot be read at all."""
        with self.reading() as connection:
            found = [str(text) for (text,) in connection.execute("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """The turn of this thread to write. SQLite lets waiting processes guess when; threads here queue up."""
        if not self._turn.acquire(timeout=max(0.0, min(BUSY_SECONDS, deadline() - time.monotonic()))):
            raise Unavailable(f"The memory is busy. {WRITE_FAILED}")
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if time.monotonic() > deadline():
            raise Unavailable(f"The memory is slow. {READ_FAILED}")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._open()
        try:
            yield connection
        finally:
            self._idle.append(connection)

    def _open(self) -> sqlite3.Connection:
        """A new connection. Of processes that make the file at the same moment, SQLite lets only one pass at once."""
        for _ in attempts():
            try:
                with _opening:
                    self._make_private()
                    return self._prepared()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode not in _PASSING:
                    raise
        raise Unavailable(f"The memory is busy. {READ_FAILED}")

    def _prepared(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            version_of(connection)  # before anything is changed
            for setting in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "secure_delete = ON"):
                connection.execute(f"PRAGMA {setting}")
            prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _make_private(self) -> None:
        """Make the file and its folder if they are missing; take from others what they may do with the file.

        SQLite gives the files beside it (``-wal``, ``-shm``) the mode of the file. A file that is there is not opened:
        on POSIX, to close it would end the locks that SQLite has on it in this process.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            for ending in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    self.path.with_name(self.path.name + ending).chmod(0o600)
        except OSError as error:
            raise Fault(
                "The file of the memory cannot be opened or made. Check that its folder can be written to."
            ) from Cause(type(error).__name__)


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _translated(consequence: str) -> Iterator[None]:
    """Translate SQLite's errors, without their text. ``consequence`` says what to do if the same call may pass."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translation(error, consequence) from Cause(getattr(error, "sqlite_errorname", type(error).__name__))


def _translation(error: sqlite3.Error, consequence: str) -> ToolError:
    # The lower byte is the kind of error; the rest says more about it.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _PASSING:
        return Unavailable(f"The memory is busy, or its disk did not answer. {consequence}")
    if code == sqlite3.SQLITE_FULL:
        return TooLarge(
            "The disk of the memory is full. Nothing was written, and sending the call again will not help. Continue"
            " without it, and tell the user to make room."
        )
    return Fault(
        "The file of the memory refused the call, and will refuse it again. Nothing was written. Continue without the"
        " memory, and tell the user that the file may be damaged or belong to somebody else; `memtools doctor` says"
        " more."
    )


def stamped(connection: sqlite3.Connection, wanted: datetime) -> datetime:
    """The time of what a transaction writes: ``wanted``, or if searches have looked past it, what the file reached."""
    reached = reached_by(connection)
    return reached if reached - wanted > AHEAD else wanted


def reached_by(connection: sqlite3.Connection) -> datetime:
    """The time that the file has reached, of which the time of no process is ahead by more than AHEAD."""
    (text,) = connection.execute("SELECT reached FROM clock").fetchone()
    return datetime.fromisoformat(text)


def _purge(connection: sqlite3.Connection, now: datetime) -> None:
    """Delete some of what is past its retention. What still waits is left out by everything that reads."""
    for table in _TABLES_TO_PURGE:
        connection.execute(
            f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608 - a name of ours
            f" (SELECT rowid FROM {table} WHERE purge_at <= ? LIMIT {_PURGED_AT_ONCE})",
            [int(now.timestamp())],
        )


def _close_all(connections: list[sqlite3.Connection]) -> None:
    while connections:
        connections.pop().close()
