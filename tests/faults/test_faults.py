"""A part of the matrix, always the same, in which every scenario and fault is met; `make test-faults` is all of it."""

from local.template import Template
from tests.faults.inject import FAULTS, without_pauses
from tests.faults.matrix import run_matrix
from tests.faults.scenarios import SCENARIOS

PART = 24


def test_no_fault_loses_halves_or_belies_anything(moto: Template) -> None:
    with without_pauses():
        tally = run_matrix(moto, every=PART)
    assert tally.met == {one.name for one in SCENARIOS} | {one.name for one in FAULTS}
    assert (tally.problems, tally.skipped) == ({"lost": [], "partial": [], "untrue": []}, 0)
