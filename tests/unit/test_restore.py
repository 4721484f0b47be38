"""What docs/backup.md says of a table that is restored: segments, and what functions have in memory, have to go."""

import copy
from dataclasses import replace
from datetime import timedelta
from typing import Any

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
    return going_on(fake_memory, scope, traces=restored)


def going_on(memory: Backend, scope: Scope, **changes: Any) -> Backend:
    """The same process over other stores: what it knows of the scope stays."""
    changed = replace(memory, **changes)
    known = memory.indexes.cached(scope)
    assert known
    changed.indexes.keep(scope, known)
    return changed


def started_anew(memory: Backend) -> Backend:
    return replace(memory)


def test_a_newer_segment_hides_traces_of_a_restored_table(before: Backend, scope: Scope) -> None:
    assert Caller(started_anew(before), scope).contents("Zanzibar").count(LOST) == 0


def test_a_warm_function_hides_traces_of_a_restored_table(before: Backend, scope: Scope) -> None:
    assert Caller(going_on(before, scope, segments=FakeSegments()), scope).contents("Zanzibar").count(LOST) == 0


def test_cold_functions_without_segments_find_all_of_a_restored_table(before: Backend, scope: Scope) -> None:
    anew = started_anew(replace(before, segments=FakeSegments()))
    assert Caller(anew, scope).contents("Zanzibar").count(LOST) == 1
    assert anew.segments.load(scope) is not None
    assert Caller(started_anew(anew), scope).contents("Zanzibar").count(LOST) == 1
