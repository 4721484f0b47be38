"""One scope's index, folded from changes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memtools.domain.trace import Embedding, Status, Trace
from memtools.retrieval.index import Entry, Index

FAST = settings(max_examples=100, deadline=None)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def trace(name: str, content: str, minute: int = 0, version: int = 1, *, live: bool = True) -> Trace:
    return Trace(
        id=name,
        content=content,
        created_at=NOW,
        changed_at=NOW + timedelta(minutes=minute),
        version=version,
        status=Status.LIVE if live else Status.DELETED,
        tags=("Kitchen",),
    )


def state(index: Index) -> list[Entry]:
    return index.entries


def found(index: Index, term: str) -> list[str]:
    return [index.entries[row].id for row, _ in index.postings.get(term, [])]


@st.composite
def histories(draw: st.DrawFn) -> list[Trace]:
    """Changes of a few traces, oldest first; each makes the next version of its trace."""
    versions: dict[str, int] = {}
    changes = []
    for minute in range(draw(st.integers(0, 12))):
        name = draw(st.sampled_from("abc"))
        versions[name] = versions.get(name, 0) + 1
        content = draw(st.sampled_from(["green tea", "black tea", "oboe"]))
        changes.append(trace(name, content, minute, versions[name], live=draw(st.booleans())))
    return changes


def latest(changes: list[Trace]) -> list[Trace]:
    """What a store tells of a history: each trace as it is now."""
    newest = {change.id: change for change in changes}
    return sorted(newest.values(), key=lambda change: change.changed_at)


def test_an_index_never_filled_is_empty() -> None:
    assert state(Index()) == []
    assert Index().vectors("m").shape == (0, 0)
    assert Index().lengths.shape == (0,)


@FAST
@given(changes=histories())
def test_the_same_changes_again_give_the_very_same_index(changes: list[Trace]) -> None:
    index = Index().fold(latest(changes))
    assert index.fold(latest(changes)) is index
    assert index.fold([]) is index


@FAST
@given(changes=histories(), data=st.data())
def test_changes_in_any_batches_give_the_same_index(changes: list[Trace], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(changes)), max_size=4)))
    index = Index()
    for start, end in pairwise([0, *cuts, len(changes)]):
        index = index.fold(changes[start:end])
    assert state(index) == state(Index().fold(changes)) == state(Index().fold(latest(changes)))


@FAST
@given(changes=histories())
def test_reading_changes_again_that_are_known_does_no_harm(changes: list[Trace]) -> None:
    index = Index().fold(changes)
    assert state(index.fold(latest(changes)[1:])) == state(index)


@FAST
@given(changes=histories())
def test_the_live_are_in_it(changes: list[Trace]) -> None:
    index = Index().fold(changes)
    assert {entry.id: entry.version for entry in index.entries} == {
        one.id: one.version for one in latest(changes) if one.live
    }


def test_a_trace_that_dies_twice_in_one_batch_is_gone() -> None:
    """A store read in pages can tell of a trace as it was and as it is."""
    index = Index().fold([trace("a", "tea")])
    gone = index.fold([trace("a", "tea", 1, 2, live=False), trace("a", "tea", 2, 3, live=False)])
    assert gone.entries == []


@FAST
@given(first=histories(), second=histories())
def test_an_index_is_never_changed(first: list[Trace], second: list[Trace]) -> None:
    index = Index().fold(first)
    before = list(index.entries), dict(index.postings)
    fresh = Index().fold(first)
    fresh.fold(second)
    assert (fresh.entries, fresh.postings) == before


def test_a_rewritten_trace_is_found_by_its_new_words_alone() -> None:
    old = Index().fold([trace("a", "works at Acme"), trace("b", "plays the oboe")])
    new = old.fold([trace("a", "works at Beta", 1, 2)])
    assert (found(new, "acm"), found(new, "beta"), found(new, "work")) == ([], ["a"], ["a"])
    assert (found(old, "acm"), found(old, "beta")) == (["a"], [])


def test_a_dead_trace_is_found_by_nothing() -> None:
    index = Index().fold([trace("a", "green tea"), trace("b", "black tea")])
    index = index.fold([trace("a", "green tea", 1, 2, live=False)])
    assert [entry.id for entry in index.entries] == ["b"]
    assert (found(index, "green"), found(index, "tea")) == ([], ["b"])


def test_a_trace_that_lives_again_is_found_again() -> None:
    index = Index().fold([trace("a", "tea"), trace("a", "tea", 1, 2, live=False), trace("a", "tea", 2, 3)])
    assert found(index, "tea") == ["a"]
    assert index.entries[0].version == 3


def test_a_trace_that_has_expired_is_still_known() -> None:
    """It is left to the query, whose clock runs on."""
    index = Index().fold([replace(trace("a", "tea"), expires_at=NOW - timedelta(days=1))])
    assert index.entries[0].expires_at == NOW - timedelta(days=1)


def test_entries_stand_in_the_order_of_time_then_of_id() -> None:
    early = replace(trace("z", "tea"), occurred_at=NOW - timedelta(days=9))
    index = Index().fold([trace("b", "tea"), trace("a", "tea"), early])
    assert [entry.id for entry in index.entries] == ["z", "a", "b"]


def test_words_are_counted_with_tags_and_date() -> None:
    index = Index().fold([replace(trace("a", "tea, more tea"), occurred_at=datetime(2025, 5, 4, tzinfo=UTC))])
    [entry] = index.entries
    assert entry.terms == {"tea": 2, "kitchen": 1, "2025": 1, "may": 1, "4": 1, "sunday": 1}
    assert entry.length == 7
    assert index.lengths.tolist() == [7]
    assert entry.tags == {"kitchen"}
    assert index.postings["tea"] == [(0, 2)]


def test_vectors_have_length_one_whatever_their_scale() -> None:
    index = Index().fold(
        [
            replace(trace("a", "x"), embedding=Embedding("m", np.array([3, 4], np.int8).tobytes())),
            replace(trace("b", "x"), embedding=Embedding("m", np.array([-120, 0], np.int8).tobytes())),
        ]
    )
    assert index.vectors("m").tolist() == [pytest.approx([0.6, 0.8]), pytest.approx([-1, 0])]


def test_vectors_of_another_model_count_as_none() -> None:
    index = Index().fold(
        [
            replace(trace("a", "x"), embedding=Embedding("new", b"\x01\x00")),
            replace(trace("b", "x"), embedding=Embedding("old", b"\x01\x00\x00")),
            trace("c", "x"),
        ]
    )
    assert index.vectors("new").tolist() == [[1, 0], [0, 0], [0, 0]]
    assert index.vectors("old").tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert index.vectors("unheard of").shape == (3, 0)
    assert index.vectors("new").shape == (3, 2)


def test_a_vector_of_zeros_points_nowhere() -> None:
    index = Index().fold([replace(trace("a", "x"), embedding=Embedding("m", b"\x00\x00"))])
    assert index.vectors("m").tolist() == [[0, 0]]
