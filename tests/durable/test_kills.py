"""A part of `make test-durable`, and that a lost write is noticed."""

from pathlib import Path

import pytest

from tests.durable.kills import run


def test_a_killed_process_loses_nothing_that_it_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(tmp_path / "memory.db", kills=5, seed=1)
    with capsys.disabled():
        print(f"\n{report}")
    assert report.passed, (report.findings, report.damage)
    assert report.told


def test_a_store_that_answers_too_early_is_noticed(tmp_path: Path) -> None:
    assert run(tmp_path / "memory.db", kills=2, seed=1, settings={"DURABLE_DAMAGE": "early"}).findings
