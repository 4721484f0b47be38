"""The file of a memory: its versions, other programs' files, real locks, a real full disk, and its time."""

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from memtools.adapters.sqlite import file as adapter
from memtools.adapters.sqlite import schema
from memtools.adapters.sqlite.file import AHEAD, MemoryFile
from memtools.adapters.sqlite.traces import CLAIMS
from memtools.domain.scope import Scope
from memtools.errors import Fault, TooLarge, Unavailable

from tests.calls import Caller
from tests.fakes import START, FakeClock
from tests.memories import RETENTION, over_file

ANA = Scope("helper", "ana")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def caller(path: Path, clock: FakeClock | None = None) -> Caller:
    """Somebody in a process just started."""
    return Caller(over_file(path, (clock or FakeClock()).now), ANA)


def altered(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(path: Path) -> None:
    caller(path).remember("Ana sails")
    altered(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(Fault, match=r"newer version of memtools: its schema is 99.*Install the newer version"):
        caller(path).list()
    assert path.read_bytes() == before


def test_a_file_of_another_program_is_refused_and_left_as_it_is(path: Path) -> None:
    altered(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(Fault, match="belongs to another program"):
        caller(path).remember("Ana sails")
    assert path.read_bytes() == before
    path.write_text("a diary, not a database")
    with pytest.raises(Fault):
        caller(path).list()
    assert path.read_text() == "a diary, not a database"


def test_a_file_of_an_older_version_gets_what_is_new_and_loses_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller(path).remember("Ana sails")
    step = ("ALTER TABLE segments ADD COLUMN new TEXT",)
    monkeypatch.setattr(schema, "_STEPS", (*schema._STEPS, step))
    assert caller(path).all() == ["Ana sails"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema._STEPS),)
        assert "new" in [row[1] for row in connection.execute("PRAGMA table_info(segments)")]


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caller(path).remember("Ana sails")
    with monkeypatch.context() as patch:
        step = ("ALTER TABLE segments ADD COLUMN new TEXT", "ALTER TABLE nothing ADD COLUMN new TEXT")
        patch.setattr(schema, "_STEPS", (*schema._STEPS, step))
        with pytest.raises(Fault):
            caller(path).list()
    assert caller(path).all() == ["Ana sails"]


def test_many_that_make_the_file_at_the_same_moment_make_one(path: Path) -> None:
    together, failed = threading.Barrier(8), list[BaseException]()

    def remember(number: int) -> None:
        memory = caller(path)
        together.wait()
        try:
            memory.remember(f"Fact {number}")
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=remember, args=(number,)) for number in range(together.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(caller(path).all()) == together.parties


def test_while_another_process_writes_reads_are_answered_and_writes_are_told_to_come_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "BUSY_SECONDS", 0.05)
    ana = caller(path)
    ana.remember("Ana sails")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        late = caller(path)
        assert late.contents("sails") == ["Ana sails"]
        with pytest.raises(Unavailable, match="busy") as told:
            late.remember("Ana sings")
        assert told.value.retryable
        other.execute("ROLLBACK")
    assert ana.remember("Ana sings")


def test_a_full_disk_is_told_and_loses_nothing(path: Path) -> None:
    ana = caller(path)
    ana.remember("Ana sails")
    with ana.memory.traces._file._connection() as connection:  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(TooLarge, match="disk of the memory is full"):
        ana.remember("x" * 60_000)
    assert ana.all() == ["Ana sails"]
    assert ana.memory.traces._file.problems() == []  # type: ignore[attr-defined]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Fault, match="cannot be opened or made"):
        caller(tmp_path / "file" / "memory.db").list()


class Wall:
    """A clock that anybody may set."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        return self.time


def test_its_time_never_goes_back_whoever_looks(path: Path) -> None:
    wall = Wall()
    files = [MemoryFile(path, wall.now), MemoryFile(path, wall.now)]
    last = START - timedelta(days=1)
    for minutes in (0, 0.2, 90, 89.9, 20, 91, -600, 92):
        wall.time = START + timedelta(minutes=minutes)
        for file in files:
            now = file.now()
            assert now >= last - AHEAD
            assert now >= wall.time
            last = max(last, now)


@pytest.mark.parametrize("seconds", [30, 100, 4000])
def test_a_clock_that_is_set_back_hides_nothing(path: Path, seconds: float) -> None:
    """Neither now nor when it has caught up: a search reads what changed since the last one."""
    wall = Wall()
    reader, writer = (Caller(over_file(path, wall.now), ANA) for _ in range(2))
    writer.remember("Ana sails")
    assert reader.contents("Ana") == ["Ana sails"]
    wall.time -= timedelta(seconds=seconds)
    writer.remember("Ana sings")
    wall.time += timedelta(seconds=seconds + 1)
    assert sorted(reader.contents("Ana")) == ["Ana sails", "Ana sings"]


def test_a_write_that_comes_long_after_its_stamp_is_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process was stopped in between, and searches have looked past the stamp."""
    wall = Wall()
    reader, writer = (Caller(over_file(path, wall.now), ANA) for _ in range(2))
    commit = writer.memory.traces.commit

    def stopped(*arguments: object, **named: object) -> None:
        wall.time += timedelta(minutes=20)
        assert reader.contents("Ana") == []
        commit(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(writer.memory.traces, "commit", stopped)
    writer.remember("Ana sails")
    assert reader.contents("Ana") == ["Ana sails"]


def test_what_is_past_its_retention_is_purged(path: Path) -> None:
    """Deleted traces, replaced versions of traces and of documents: no byte of them is left."""
    clock = FakeClock()
    ana = caller(path, clock)
    one, two = ana.remember("Ana sails", "Ana has an oboe")
    ana.update(traceId=one, content="Ana sings")
    ana.delete(traceId=two)
    ana.edit(action="add", text="Ask about the oboe")
    ana.edit(action="replace", text="oboe", with_="song")
    clock.advance(RETENTION + timedelta(minutes=1))
    assert ana.remember("Ana dances")
    ana.memory.traces._file.forget_the_log()  # type: ignore[attr-defined]
    stored = path.read_bytes()
    assert (b"oboe" in stored, b"sails" in stored) == (False, False)
    assert ana.all() == ["Ana dances", "Ana sings"]


def test_a_text_is_looked_up_in_an_index(path: Path) -> None:
    """Each new fact looks for its text: to read the whole scope for that takes a minute for ten thousand facts."""
    with MemoryFile(path).reading() as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {CLAIMS}", ["a", "b"])]
    assert plan == ["SEARCH traces USING COVERING INDEX traces_by_text (scope=? AND text_key=?)"]


def test_a_time_is_utc(path: Path) -> None:
    assert MemoryFile(path).now().tzinfo is UTC
