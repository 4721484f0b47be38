"""A part of the matrix, always the same, in which every scenario and fault is met; `make test-faults` is all of it."""

import pytest

from local.template import Template
from tests.fakes import START
from tests.faults.faults import FAULTS
from tests.faults.inject import without_pauses
from tests.faults.matrix import run_matrix
from tests.faults.scenarios import SCENARIOS
from tests.strict.emulator import strict_store

PART = 56


def test_no_fault_loses_halves_or_belies_anything(moto: Template, capsys: pytest.CaptureFixture[str]) -> None:
    with strict_store(moto, lambda: START), without_pauses():
        tally = run_matrix(moto, every=PART)
    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.met == {one.name for one in SCENARIOS} | {one.name for one in FAULTS}
    assert tally.passed, (tally.problems, tally.skipped)
