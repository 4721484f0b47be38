"""What docs/backup.md says of a table that is restored: segments, and what functions have in memory, have to go."""

import copy
from dataclasses import replace
from datetime import timedelta

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.fakes import FakeClock, FakeSegments, FakeTraces

FACTS = [f"Fact number {number} is about nothing" for number in range(300)]
LOST = "Zanzibar is where she was born"


@pytest.fixture
def before(fake_memory: Backend, clock: FakeClock, scope: Scope) -> Backend:
    """A memory with a segment in which a fact is deleted, over the table as it was before the deletion."""
    ana = Caller(fake_memory, scope)
    for start in range(0, len(FACTS), 100):
        ana.add(facts=FACTS[start : start + 100])
    (kept,) = ana.remember(LOST)
    clock.advance(timedelta(hours=1))
    assert isinstance(fake_memory.traces, FakeTraces)
    restored = copy.copy(fake_memory.traces)
    restored._traces = dict(fake_memory.traces._traces)
    ana.delete(traceId=kept)
    clock.advance(timedelta(hours=1))
    assert LOST not in ana.contents("Zanzibar")
    assert fake_memory.segments.load(scope) is not None
    return replace(fake_memory, traces=restored)


def test_cold_functions_without_segments_find_all_of_a_restored_table(before: Backend, scope: Scope) -> None:
    """A newer segment, and an index in memory, would hide what came back: so they have to go."""
    assert LOST not in Caller(before, scope).contents("Zanzibar")
    anew = replace(before, segments=FakeSegments())
    assert Caller(anew, scope).contents("Zanzibar").count(LOST) == 1
    assert anew.segments.load(scope) is not None
    assert Caller(replace(anew), scope).contents("Zanzibar").count(LOST) == 1
