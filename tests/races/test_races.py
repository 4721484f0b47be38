"""The races in a short setting: the quicker kinds, once, on the emulator that the other suites use."""

from collections.abc import Iterator

import pytest

from local.template import Template
from tests.races.run import race
from tests.races.workers import Crew, crew

KINDS = [
    "appends",
    "replaces of the same text",
    "edits of the same version",
    "adds of the same fact",
    "add against delete",
    "delete against update",
    "changes of the same version",
    "overlapping merges",
    "update against merge",
    "delete against merge",
    "unmerge against update",
    "restore against update",
]


@pytest.fixture(scope="module")
def workers(moto: Template) -> Iterator[Crew]:
    with crew(moto.environment) as ready:
        yield ready


@pytest.mark.parametrize("kind", KINDS)
def test_every_told_write_is_there_and_every_refusal_left_no_trace(moto: Template, workers: Crew, kind: str) -> None:
    _, findings = race(moto.environment, workers, kind, 0)
    assert findings == []
