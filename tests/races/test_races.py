"""The races in a short setting: the quicker kinds, once, on the emulator that the other suites use."""

from collections.abc import Iterator, Mapping

import pytest

from local.template import Template
from tests.races.command import in_a_file
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


Stores = tuple[Mapping[str, str], Crew]


@pytest.fixture(scope="module")
def emulated(moto: Template) -> Iterator[Stores]:
    with crew(moto.environment) as ready:
        yield moto.environment, ready


@pytest.fixture(scope="module")
def filed() -> Iterator[Stores]:
    with in_a_file() as names, crew(names) as ready:
        yield names, ready


def check(stores: Stores, kind: str) -> None:
    """Every told write is there, and every refusal left no trace."""
    _, findings = race(*stores, kind, 0)
    assert findings == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_told_write_is_there_and_every_refusal_left_no_trace(emulated: Stores, kind: str) -> None:
    check(emulated, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_true_in_a_file(filed: Stores, kind: str) -> None:
    check(filed, kind)
