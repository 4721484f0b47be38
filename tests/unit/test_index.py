"""One scope's index: folded from changes, in whatever way they come."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.text import fold
from memtools.domain.trace import Embedding, Status, Trace
from memtools.freshness.segment import Segment
from memtools.ranking.columns import Columns, key_of_id, microseconds
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank
from memtools.ranking.score import Ranked

from tests.examples import share
from tests.index_lives import (
    CONTENTS,
    DIMENSIONS,
    IDS,
    MODEL,
    NOW,
    OTHER_MODEL,
    TAGS,
    Life,
    admits,
    distinct_traces,
    embeddings,
    from_scratch,
    histories,
    latest,
    live,
    lives,
    vectors,
)

FEWER = share(50)
TERMS = ("tea", "black", "oboe", "maria", "counterrevolutionari", "home", "東京", "京", "2026", "januari")


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


def embedded(name: str, *numbers: int, model: str = MODEL) -> Trace:
    return replace(trace(name, "x"), embedding=Embedding(model, np.array(numbers, np.int8).tobytes()))


def index_of(*traces: Trace) -> Index:
    return Index.empty(MODEL).fold(traces)


def names(index: Index) -> list[str]:
    return [index.identity(place)[0] for place in range(len(index))]


def found(index: Index, term: str) -> list[str]:
    return [index.identity(int(place))[0] for place in index.with_term(term)[0]]


def looked_up(index: Index, term: str) -> list[str]:
    return sorted(index.identity(int(place))[0] for place in index.lookup(term)[0])


def state(index: Index) -> list[Any]:
    """All that can be asked, but for sums of floats."""
    onto = np.eye(DIMENSIONS, dtype=np.float32)
    return [
        [(index.identity(place), index.position(place)) for place in range(len(index))],
        *(array.tolist() for array in (index.when, index.expires, index.relative_lengths)),
        *(array.tolist() for array in (index.embedded, index.unembedded)),
        [sorted(zip(*(array.tolist() for array in index.with_term(term)), strict=True)) for term in TERMS],
        [looked_up(index, term) for term in ("obeo", "balck", "blackk", "teaa", "maira", "violin")],
        [index.tagged([fold(tag)]).tolist() for tag in TAGS],
        sorted((sorted(places.tolist()), rarity) for places, rarity in index.lists() if len(places)),
        index.newest([], NOW, None),
        index.projections(np.arange(len(index)), onto).tolist(),
    ]


QUERIES = st.builds(
    Query,
    text=st.sampled_from(["green tea", "What does Maria play?", "Where is the obeo", "東京", *CONTENTS]),
    embeddings=st.tuples(embeddings()),
    now=st.just(NOW),
    tags=st.sampled_from([frozenset(), frozenset(), frozenset({"home"}), frozenset({"at work", "tea"})]),
    since=st.sampled_from([None, None, NOW - timedelta(days=2)]),
    until=st.sampled_from([None, None, NOW - timedelta(hours=1)]),
)


def assert_same_answer(one: list[Ranked], other: list[Ranked]) -> None:
    """The same traces in the same order, but that sums of floats may differ a little."""
    scores, versions = ({hit.id: getattr(hit, name) for hit in other} for name in ("score", "version"))
    for hit in one:
        assert hit.score == pytest.approx(scores.get(hit.id, 0), abs=1e-4)
        assert hit.version == versions.get(hit.id, hit.version)
    assert all(scores.get(after.id, 0) <= scores.get(before.id, 0) + 1e-5 for before, after in pairwise(one))


# Whatever way it came to be


def test_an_index_of_nothing_is_empty() -> None:
    index = Index.empty(MODEL)
    assert (len(index), index.changes, index.model) == (0, 0, MODEL)
    assert state(index) == state(from_scratch([])) == state(index_of(trace("a", "x", live=False)))
    assert index.total.shape == (0,)
    assert index.compacted(NOW).newest([], NOW, None) == []


@given(life=lives())
def test_an_index_built_in_any_way_has_exactly_the_live_traces(life: Life) -> None:
    assert len(life.index) == len(life.alive)
    assert state(life.index) == state(from_scratch(life.alive.values()))
    assert dict(map(life.index.identity, range(len(life.index)))) == {
        one.id: one.version for one in life.alive.values()
    }


@given(life=lives(), queries=st.lists(QUERIES, min_size=1, max_size=4))
def test_an_index_built_in_any_way_ranks_like_a_new_one(life: Life, queries: list[Query]) -> None:
    scratch = from_scratch(life.alive.values())
    for query in queries:
        ours, theirs = list(rank(life.index, query, floor=0)), list(rank(scratch, query, floor=0))
        assert_same_answer(ours, theirs)
        assert_same_answer(theirs, ours)


@FEWER
@given(changes=histories())
def test_the_same_changes_again_give_the_very_same_index(changes: list[Trace]) -> None:
    index = index_of(*latest(changes))
    assert index.fold(latest(changes)) is index
    assert index.fold([]) is index


@FEWER
@given(changes=histories())
def test_changes_already_in_a_segment_are_recognised(changes: list[Trace]) -> None:
    kept = [one for one in latest(changes) if not (one.live and one.expired(NOW))]
    data = Segment(index_of(*kept).compacted(NOW).base, NOW).to_bytes()
    index = Index(Segment.of_bytes(data, MODEL).columns)
    assert index.fold(kept) is index


@FEWER
@given(changes=histories(), data=st.data())
def test_changes_in_any_batches_give_the_same_index(changes: list[Trace], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(changes)), max_size=4)))
    index = Index.empty(MODEL)
    for start, end in pairwise([0, *cuts, len(changes)]):
        index = index.fold(changes[start:end])
    assert state(index) == state(index_of(*changes)) == state(index_of(*latest(changes)))


@FEWER
@given(changes=histories(), base=st.integers(0, 9))
def test_reading_changes_again_that_are_known_does_no_harm(changes: list[Trace], base: int) -> None:
    index = from_scratch(live(changes[:base])).fold(changes)
    assert state(index.fold(latest(changes)[1:])) == state(index)


@FEWER
@given(life=lives(), changes=histories(), embedding=st.builds(Embedding, st.just(MODEL), vectors()))
def test_an_index_is_never_changed(life: Life, changes: list[Trace], embedding: Embedding) -> None:
    index = life.index
    arrays = [array.tobytes() for part in (index.base, index._recent) for _, array in part.arrays()]
    before = state(Index(index.base, index._recent, index._dead))
    index.fold(changes)
    index.without(IDS[:3])
    index.compacted(NOW)
    index.replaced([replace(one, embedding=embedding) for one in life.alive.values()])
    assert state(index) == before
    assert [array.tobytes() for part in (index.base, index._recent) for _, array in part.arrays()] == arrays


def test_a_trace_that_dies_twice_in_one_batch_is_gone() -> None:
    """A store read in pages can tell of a trace as it was and as it is."""
    index = index_of(trace("a", "tea")).compacted(NOW)
    gone = index.fold([trace("a", "tea", 1, 2, live=False), trace("a", "tea", 2, 3, live=False)])
    assert (len(gone), names(gone), gone.compacted(NOW).changes) == (0, [], 0)


Parted = Callable[[Index], Index]
IN_PARTS = pytest.mark.parametrize("parted", [lambda index: index, lambda index: index.compacted(NOW)])


@IN_PARTS
def test_a_purged_trace_added_again_at_the_same_version_is_indexed(parted: Parted) -> None:
    index = parted(index_of(trace("a", "tea")))
    again = replace(trace("a", "green"), created_at=NOW + timedelta(days=40))
    index = index.fold([again])
    assert (found(index, "tea"), found(index, "green")) == ([], ["a"])
    assert index.fold([again]) is index


# What stands where


def test_a_trace_that_has_expired_is_known_until_the_index_is_compacted() -> None:
    """It is left to the query, whose clock runs on."""
    index = index_of(replace(trace("a", "tea"), expires_at=NOW))
    assert (names(index), index.expires.tolist()) == (["a"], [microseconds(NOW)])
    assert names(index.compacted(NOW - timedelta(microseconds=1))) == ["a"]
    assert names(index.compacted(NOW)) == []


@IN_PARTS
def test_places_are_ordered_by_time_then_creation_then_id(parted: Parted) -> None:
    hour = timedelta(hours=1)
    early = replace(trace("mt_1", "tea"), occurred_at=NOW - timedelta(days=9))
    made_later = replace(trace(f"mt_{'0' * 32}", "tea"), created_at=NOW + hour, occurred_at=NOW)
    same = [trace(f"mt_{number}{'0' * 31}", "tea") for number in "21"]
    index = parted(index_of(made_later, *same)).fold([early])
    assert names(index) == ["mt_1", same[1].id, same[0].id, made_later.id]
    assert index.when.tolist() == [microseconds(one) for one in (NOW - timedelta(days=9), NOW, NOW, NOW)]
    moments = [index.position(place) for place in range(4)]
    assert [created for _, created, _ in moments] == [microseconds(one) for one in (NOW, NOW, NOW, NOW + hour)]
    assert moments == sorted(moments)


def test_words_are_counted_with_tags_and_date() -> None:
    index = index_of(replace(trace("a", "tea, more tea"), occurred_at=datetime(2025, 5, 4, tzinfo=UTC)))
    counts = {"tea": 2, "kitchen": 1, "2025": 1, "may": 1, "4": 1, "sunday": 1, "green": 0}
    for term, count in counts.items():
        assert index.with_term(term)[1].tolist() == [count] * (count > 0)
    assert index.base.lengths.tolist() == []
    assert index._recent.lengths.tolist() == [7]
    assert index.tagged(["kitchen"]).tolist() == [True]


def test_lengths_are_relative_to_their_mean() -> None:
    index = index_of(trace("a", "tea"), trace("b", "tea " * 9, 1))
    lengths = dict(zip(names(index), index.relative_lengths.tolist(), strict=True))
    assert lengths == {"a": pytest.approx(2 / 6), "b": pytest.approx(10 / 6)}


def test_long_words_with_the_same_beginning_stay_distinct() -> None:
    index = index_of(trace("a", "counterrevolutionaries"), trace("b", "counterrevolutionists"))
    assert (found(index, "counterrevolutionari"), found(index, "counterrevolutionist")) == (["a"], ["b"])


def test_tags_that_differ_by_a_null_are_not_the_same() -> None:
    tags = {"null": "a", "null\0": "b"}
    index = index_of(*(replace(trace(name, "x"), tags=(tag,)) for tag, name in tags.items()))
    for one in (index, index.compacted(NOW)):
        for tag, name in tags.items():
            assert [names(one)[place] for place in np.flatnonzero(one.tagged([tag]))] == [name]


@IN_PARTS
def test_a_word_that_is_there_is_never_taken_for_another(parted: Parted) -> None:
    index = parted(index_of(*(trace(str(number), "letters") for number in range(5)), trace("one", "letterx")))
    assert looked_up(index, "letterx") == ["one"]


@IN_PARTS
def test_of_words_one_slip_away_the_commonest_is_meant(parted: Parted) -> None:
    index = parted(index_of(trace("a", "porto"), trace("b", "portu"), trace("c", "porto")))
    assert looked_up(index, "portx") == ["a", "c"]
    index = index.fold([trace("e", "portu"), trace("f", "portu")])
    assert looked_up(index, "portx") == ["b", "e", "f"]
    index = index.fold([trace("a", "tea", 1, 2), *(trace(name, "x", 1, 2, live=False) for name in "bef")])
    assert looked_up(index, "portx") == ["c"]
    assert looked_up(index.fold([trace("c", "x", 1, 2, live=False)]), "portx") == []


# Page by page


@FEWER
@given(life=lives(), tags=st.frozensets(st.sampled_from(TAGS).map(fold), max_size=2), limit=st.integers(1, 3))
def test_pages_have_everything_once_newest_first(life: Life, tags: frozenset[str], limit: int) -> None:
    index = life.index
    pages: list[int] = []
    after = None
    for _ in range(len(index) + 1):
        if page := index.newest(tags, NOW, after)[:limit]:
            pages += page
            after = index.position(page[-1])
    expected = sorted(
        (one for one in life.alive.values() if admits(one, tags)),
        key=lambda one: (one.when, one.created_at, key_of_id(one.id)),
        reverse=True,
    )
    assert [index.identity(place)[0] for place in pages] == [one.id for one in expected]


@FEWER
@given(traces=distinct_traces(), changes=histories(), limit=st.integers(1, 3))
def test_a_page_continues_after_the_previous_one_despite_changes(
    traces: list[Trace], changes: list[Trace], limit: int
) -> None:
    index = from_scratch(traces)
    first = index.newest([], NOW, None)[:limit]
    after = index.position(first[-1]) if first else None
    index = index.fold([replace(change, version=change.version + 1) for change in changes])
    rest = index.newest([], NOW, after)
    assert all(after is None or index.position(place) < after for place in rest)
    assert rest == [place for place in index.newest([], NOW, None) if after is None or index.position(place) < after]


# Vectors


@IN_PARTS
def test_directions_have_length_one_whatever_their_scale(parted: Parted) -> None:
    index = parted(index_of(embedded("a", 3, 4))).fold([embedded("b", -120, 0)])
    directions = index.projections(np.arange(2), np.eye(2, dtype=np.float32))
    assert {name: directions[place].tolist() for place, name in enumerate(names(index))} == {
        "a": pytest.approx([0.6, 0.8]),
        "b": pytest.approx([-1, 0]),
    }
    assert index.total.tolist() == pytest.approx([-0.4, 0.8])


@IN_PARTS
def test_vectors_of_another_model_count_as_none(parted: Parted) -> None:
    index = parted(index_of(embedded("a", 1, 0), embedded("b", 1, 0, 0, model=OTHER_MODEL), trace("c", "x")))
    assert sorted(index.identity(int(place))[0] for place in index.unembedded) == ["b", "c"]
    assert index.total.tolist() == [1, 0]


@IN_PARTS
def test_a_zero_vector_counts_as_none(parted: Parted) -> None:
    index = parted(index_of(embedded("a", 0, 0)))
    assert index.projections(np.array([0]), np.eye(2, dtype=np.float32)).tolist() == [[0, 0]]
    assert index.unembedded.tolist() == [0]


def test_without_vectors_nothing_is_near() -> None:
    index = index_of(trace("a", "x"), trace("b", "x")).compacted(NOW)
    assert index.nearness(np.array([1, 2, 3], np.int8)).tolist() == pytest.approx([0, 0], abs=0.6)
    assert index.nearness(np.array([], np.int8)).tolist() == [0, 0]
    assert index.projections(np.arange(2), np.eye(3, dtype=np.float32)).tolist() == [[0, 0, 0]] * 2


@FEWER
@given(life=lives())
def test_the_sum_of_directions_is_that_of_what_lives(life: Life) -> None:
    directions = [np.frombuffer(one.embedding.vector, np.int8).astype(float) for one in life.alive.values()
                  if one.embedding and one.embedding.model == MODEL]  # fmt: skip
    expected = sum((one / np.linalg.norm(one) for one in directions if one.any()), np.zeros(DIMENSIONS))
    told = life.index.total if life.index.total.size else np.zeros(DIMENSIONS)
    assert told.tolist() == pytest.approx(expected.tolist(), abs=1e-5)


@FEWER
@given(life=lives(), asked=vectors().filter(any))
def test_nearness_is_the_cosine_of_the_share_of_signs_that_differ(life: Life, asked: bytes) -> None:
    direction = np.frombuffer(asked, np.int8)
    told = life.index.nearness(direction)
    for place in np.flatnonzero(life.index.embedded):
        embedding = life.alive[life.index.identity(int(place))[0]].embedding
        assert embedding
        apart = np.count_nonzero((np.frombuffer(embedding.vector, np.int8) > 0) != (direction > 0))
        assert told[place] == pytest.approx(np.cos(np.pi * apart / DIMENSIONS), abs=1e-6)


@IN_PARTS
def test_filling_in_a_vector_changes_nothing_else(parted: Parted) -> None:
    index = parted(index_of(trace("a", "tea"), trace("b", "oboe")))
    filled = index.replaced([replace(trace("a", "tea"), embedding=Embedding(MODEL, bytes([1] * DIMENSIONS)))])
    assert [filled.identity(int(place))[0] for place in filled.unembedded] == ["b"]
    assert state(filled)[0] == state(index)[0]
    assert filled.fold([trace("a", "tea")]) is filled


# What it takes


def test_compacting_leaves_one_part_without_changes() -> None:
    index = index_of(trace("a", "tea"), trace("b", "tea")).compacted(NOW).fold([trace("a", "oboe", 1, 2)])
    assert index.changes == 2
    assert index.compacted(NOW).changes == 0
    assert len(index.compacted(NOW).base) == 2
    assert index.compacted(NOW).size < index.size


def test_the_size_is_that_of_all_arrays() -> None:
    index = Index(Columns.of([trace("a", "tea")], MODEL))
    assert index.size > Index.empty(MODEL).size >= 0
    assert index.fold([trace("b", "x")]).size > index.size
