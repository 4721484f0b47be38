"""A part of the matrix, always the same, in which every scenario and fault is met; `make test-faults` is all of it."""

from dataclasses import replace

import pytest

from local.template import Template
from tests.fakes import START
from tests.faults import matrix
from tests.faults.faults import FAULTS
from tests.faults.inject import without_pauses
from tests.faults.known import Open
from tests.faults.matrix import Cell, Tally, run_matrix
from tests.faults.scenarios import SCENARIOS
from tests.strict.emulator import strict_store

PART = 56


def test_no_fault_loses_halves_or_belies_anything(moto: Template, capsys: pytest.CaptureFixture[str]) -> None:
    with strict_store(moto, lambda: START), without_pauses():
        tally = run_matrix(moto, every=PART)
    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.met == {one.name for one in SCENARIOS} | {one.name for one in FAULTS}
    assert tally.passed, (tally.problems, tally.stale, tally.skipped)


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    """A cell that is known to be open."""
    cell = Cell(SCENARIOS[0], 0, "TransactWriteItems", FAULTS[0])
    known = Open("A0", SCENARIOS[0].tool, "TransactWriteItems", (FAULTS[0].name,))
    monkeypatch.setattr(matrix, "KNOWN", [known])
    return cell


@pytest.mark.parametrize(
    ("problems", "passed", "counted"),
    [
        ([("open", "an outage")], True, 1),
        ([], False, 0),
        ([("partial", "half of it")], False, 0),
        ([("open", "an outage"), ("lost", "all of it")], False, 1),
    ],
)
def test_a_known_cell_is_open_and_nothing_else(
    cell: Cell, problems: list[tuple[str, str]], passed: bool, counted: int
) -> None:
    """A cell that passes though it is listed fails the run, as does one that has another problem."""
    tally = Tally()
    tally.add(cell, problems)
    assert (tally.passed, tally.open) == (passed, counted)


def test_an_open_cell_that_is_not_listed_is_untrue(cell: Cell) -> None:
    tally = Tally()
    tally.add(replace(cell, operation="Query"), [("open", "an outage")])
    assert [len(found) for found in tally.problems.values()] == [0, 0, 1]
