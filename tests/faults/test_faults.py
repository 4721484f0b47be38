"""A part of the matrix, another one each day, so that `make test` stays quick; `make test-faults` is all of it."""

from datetime import UTC, datetime

from local.template import Template
from tests.faults.inject import without_pauses
from tests.faults.matrix import run_matrix

PART = 16


def test_no_fault_loses_halves_or_belies_anything(moto: Template) -> None:
    with without_pauses():
        tally = run_matrix(moto, every=PART, offset=datetime.now(UTC).day % PART)
    assert tally.cells > 40
    assert (tally.problems, tally.skipped) == ({"lost": [], "partial": [], "untrue": []}, 0)
