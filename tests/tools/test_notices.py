"""What a reply does not tell is counted: what became of segments, and that the model failed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from memtools.backend import Backend
from memtools.current_call import Metric, increment, running_call
from memtools.domain.scope import Scope
from memtools.embedding.minilm import LocalEmbedder
from memtools.embedding.none import NoEmbedder
from memtools.errors import Unavailable
from memtools.freshness import indexes as freshness
from memtools.ports import ConditionFailed

from tests.calls import Caller
from tests.fakes import FakeSegments

FACTS = ("likes green tea", "has two cats", "lives in Lisbon", "plays the cello", "fears heights", "bakes bread")


class Broken(LocalEmbedder):
    """A model that fails."""

    @property
    def _loaded(self) -> Any:
        raise OSError


class Failing(FakeSegments):
    """Segments that cannot be written, for the reason given."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        del scope, data, replaces
        raise self._error


def noticed_by(call: Callable[..., Any], *arguments: Any, **named: Any) -> dict[str, int]:
    with running_call() as counts:
        call(*arguments, **named)
    return dict(counts)


@pytest.fixture
def ana(fake_memory: Backend, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Somebody with a few facts, which are enough for a segment."""
    monkeypatch.setattr(freshness, "FEW", 4)
    caller = Caller(fake_memory, scope)
    caller.remember(*FACTS)
    return caller


def cold(caller: Caller, **changes: Any) -> Caller:
    return Caller(replace(caller.memory, **changes), caller.scope)


def test_only_the_call_that_writes_a_segment_counts_it(ana: Caller) -> None:
    assert noticed_by(ana.search, query="tea") == {Metric.SEGMENT_WRITTEN: 1}
    assert noticed_by(ana.search, query="tea") == {}
    assert noticed_by(cold(ana).search, query="tea") == {}


def test_a_segment_that_the_store_does_not_take_is_counted_as_such(ana: Caller) -> None:
    out = cold(ana, segments=Failing(Unavailable("out")))
    assert noticed_by(out.search, query="tea") == {Metric.SEGMENT_UNWRITTEN: 1}


def test_the_loser_of_a_segment_race_counts_neither_write_nor_failure(ana: Caller) -> None:
    assert noticed_by(cold(ana, segments=Failing(ConditionFailed())).search, query="tea") == {}


@pytest.mark.parametrize("found", [b"garbage", b""])
def test_a_segment_of_no_use_is_counted_and_written_anew(ana: Caller, found: bytes) -> None:
    ana.memory.segments.save(ana.scope, found, None)
    expected = {Metric.SEGMENT_UNUSABLE: 1, Metric.SEGMENT_WRITTEN: 1}
    assert noticed_by(cold(ana).search, query="tea") == expected


def test_a_model_that_fails_is_counted_by_whatever_tool_needed_it(ana: Caller) -> None:
    without = cold(ana, embedder=Broken())
    assert noticed_by(without.remember, "drinks oat milk") == {Metric.EMBEDDING_FAILED: 1}
    assert noticed_by(without.search, query="milk")[Metric.EMBEDDING_FAILED] >= 1
    assert Metric.EMBEDDING_FAILED not in noticed_by(cold(ana, embedder=NoEmbedder()).search, query="milk")


def test_calls_do_not_share_their_counters() -> None:
    increment(Metric.COLD_START)  # nobody counts outside of a call
    with running_call() as outer:
        with running_call() as inner:
            increment(Metric.COLD_START)
        increment(Metric.SEGMENT_WRITTEN)
    assert (dict(outer), dict(inner)) == ({Metric.SEGMENT_WRITTEN: 1}, {Metric.COLD_START: 1})
