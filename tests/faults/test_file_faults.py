"""Every transaction of every tool on a file under each fault: whole, true, and the same when the call is sent again."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
from memtools.adapters.sqlite import file as adapter
from memtools.domain.scope import Scope
from memtools.errors import ToolError

from tests.calls import Caller
from tests.fakes import FakeClock
from tests.faults.inject import Killed
from tests.faults.run import plain
from tests.faults.scenarios import SCENARIOS, Scenario, names_in
from tests.memories import over_file

ANA: Final = Scope("faults", "ana")
SECRET: Final = "secret text of SQLite"


@dataclass(frozen=True)
class FileFault:
    """A fault at one transaction: an error or an end of the process, instead of it, or once it has taken effect."""

    name: str
    error: BaseException
    told: str = ""
    when: str = "instead"


def error(code: int) -> sqlite3.Error:
    made = sqlite3.OperationalError(SECRET)
    made.sqlite_errorcode, made.sqlite_errorname = code, "SQLITE_NAME"
    return made


FAULTS: Final = [
    FileFault("locked", error(sqlite3.SQLITE_BUSY), "unavailable"),
    FileFault("disk full", error(sqlite3.SQLITE_FULL), "too_large", "at the end"),
    FileFault("disk fails", error(sqlite3.SQLITE_IOERR_FSYNC), "unavailable", "at the end"),
    FileFault("disk fails after the effect", error(sqlite3.SQLITE_IOERR), "unavailable", "afterwards"),
    FileFault("damaged", error(sqlite3.SQLITE_CORRUPT), "fault"),
    FileFault("read-only", error(sqlite3.SQLITE_READONLY), "fault", "at the end"),
    FileFault("killed before", Killed(), when="at the end"),
    FileFault("killed after", Killed(), when="afterwards"),
]


class Tap:
    """Counts transactions, and lets a fault happen to one of them."""

    def __init__(self) -> None:
        self.count, self.at, self.fault = 0, -1, FAULTS[0]
        self._transaction = adapter._transaction

    @contextmanager
    def transaction(self, connection: sqlite3.Connection, begin: str) -> Iterator[None]:
        number, self.count = self.count, self.count + 1
        happens = self.fault.when if number == self.at else ""
        if happens == "instead":
            raise self.fault.error
        with self._transaction(connection, begin):
            yield
            if happens == "at the end":
                raise self.fault.error
        if happens:
            raise self.fault.error


class Run:
    """A scenario on a file of its own."""

    def __init__(self, file: Path, scenario: Scenario) -> None:
        self._file, self._scenario = file, scenario
        scenario.prepare(self._caller())
        self._caller().memory.now()  # makes the file, if nothing was prepared

    def _caller(self) -> Caller:
        """A caller in a process just started: nothing is in memory."""
        return Caller(over_file(self._file, FakeClock().now), ANA)

    def call(self) -> Any:
        """The scenario's call: its reply, or what it raised."""
        caller = replace(self._caller(), key=self._scenario.key)
        try:
            reply = getattr(caller, self._scenario.tool)(**self._scenario.arguments(names_in(ANA)))
        except (Killed, Exception) as failure:
            return failure
        return plain(reply, ANA)

    def state(self) -> Any:
        """All traces, replaced versions and documents, read past the adapter."""
        connection = sqlite3.connect(self._file)
        traces = connection.execute("SELECT text_key, data FROM traces ORDER BY id").fetchall()
        history = connection.execute("SELECT data FROM history ORDER BY id, version").fetchall()
        documents = connection.execute("SELECT owner, name, text, edit FROM documents ORDER BY number").fetchall()
        connection.close()
        items = [[key, json.loads(data)] for key, data in traces]
        texts = [[owner, name, text.decode(), edit] for owner, name, text, edit in documents]
        return plain({"items": items, "history": [json.loads(data) for (data,) in history], "documents": texts}, ANA)


def problems(run: Run, tap: Tap, fault: FileFault, number: int, clean: tuple[Any, Any]) -> Iterator[str]:
    """What is wrong with the call under the fault, and with the call sent again."""
    before, after = clean
    tap.count, tap.at, tap.fault = 0, number, fault
    answer, state = run.call(), run.state()
    tap.at = -1
    if state not in (before, after):
        yield "by halves"
    if isinstance(answer, dict) and state != after:
        yield "told, and lost"
    if isinstance(answer, ToolError) and (answer.code != fault.told or SECRET in json.dumps(answer.as_dict())):
        yield f"told {answer!r}"
    if not isinstance(answer, (dict, ToolError, Killed)):
        yield f"crashed: {answer!r}"
    again = run.call()
    if not isinstance(again, dict) or run.state() != after:
        yield f"sent again: {again!r}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.name for one in SCENARIOS])
def test_no_fault_loses_halves_or_belies_anything(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tap = Tap()
    monkeypatch.setattr(adapter, "_transaction", tap.transaction)
    run = Run(tmp_path / "clean.db", scenario)
    before, tap.count = run.state(), 0
    assert isinstance(run.call(), dict)
    after, transactions = run.state(), tap.count
    assert transactions
    wrong = [
        f"transaction {number}, {fault.name}: {problem}"
        for number in range(transactions)
        for fault in FAULTS
        for problem in problems(
            Run(tmp_path / f"{number} {fault.name}.db", scenario), tap, fault, number, (before, after)
        )
    ]
    assert wrong == []
