"""Which traces answer a query, and how well."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memtools.domain.trace import Embedding, Trace
from memtools.retrieval.index import Index
from memtools.retrieval.ranking import WORDS_WEIGHT, Query, Ranked, rank

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def trace(
    name: str,
    content: str,
    *,
    tags: tuple[str, ...] = (),
    occurred: datetime | None = None,
    expires: datetime | None = None,
    embedding: Embedding | None = None,
) -> Trace:
    return Trace(
        id=name,
        content=content,
        created_at=NOW,
        changed_at=NOW,
        tags=tags,
        occurred_at=occurred,
        expires_at=expires,
        embedding=embedding,
    )


def vector(*numbers: int, model: str = "m") -> Embedding:
    return Embedding(model, np.array(numbers, np.int8).tobytes())


def query(text: str, embedding: Embedding | None = None, **filters: datetime | None) -> Query:
    return Query(text=text, embedding=embedding, now=NOW, **filters)  # type: ignore[arg-type]


def search(asked: Query, *traces: Trace, floor: float = 0.0) -> list[Ranked]:
    return rank(Index().fold(traces), asked, floor=floor)


def ids(ranked: list[Ranked]) -> list[str]:
    return [one.id for one in ranked]


# Words


def test_a_question_finds_what_shares_some_of_its_words() -> None:
    ranked = search(
        query("what theme does the user prefer"),
        trace("oboe", "Plays the oboe"),
        trace("dark", "prefers dark theme"),
        trace("cat", "Prefers cats to dogs"),
    )
    assert ids(ranked) == ["dark", "cat"]


def test_more_of_the_words_is_better() -> None:
    traces = [trace("one", "green cup"), trace("two", "green tea"), trace("three", "green tea from Uji")]
    assert ids(search(query("green tea Uji"), *traces)) == ["three", "two", "one"]


def test_a_word_asked_for_twice_counts_once() -> None:
    traces = [trace("a", "oboe"), trace("b", "green tea")]
    assert search(query("oboe oboe Oboe tea"), *traces) == search(query("oboe tea"), *traces)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    traces = [trace(f"tea{number}", f"tea number {number}") for number in range(60)]
    assert ids(search(query("tea oboe"), *traces, trace("oboe", "an oboe")))[0] == "oboe"


def test_a_short_text_counts_more_than_a_long_one_with_the_same_word() -> None:
    long = trace("long", "tea " + " ".join(f"word{number}" for number in range(50)))
    assert ids(search(query("tea"), long, trace("short", "tea"))) == ["short", "long"]


def test_what_shares_no_word_is_not_found_by_words() -> None:
    assert search(query("violin"), trace("a", "Plays the oboe")) == []


@pytest.mark.parametrize("text", ["", " ", "?!", "the of and", "\u200b"])
def test_a_query_without_words_finds_nothing(text: str) -> None:
    assert search(query(text), trace("a", "Plays the oboe")) == []


def test_tags_and_dates_are_found_as_words() -> None:
    traces = [trace("a", "Dinner", tags=("family",)), trace("b", "Lunch", occurred=datetime(2025, 5, 4, tzinfo=UTC))]
    assert ids(search(query("family"), *traces)) == ["a"]
    assert ids(search(query("May 2025"), *traces)) == ["b"]


def test_equals_stand_in_the_order_of_time() -> None:
    traces = [trace("b", "tea"), trace("a", "tea"), trace("c", "tea")]
    assert ids(search(query("tea"), *traces)) == ["a", "b", "c"]


# Meaning


def test_the_nearest_in_meaning_is_found_without_any_word() -> None:
    ranked = search(
        query("music", vector(10, 0)),
        trace("far", "Plays chess", embedding=vector(1, 9)),
        trace("near", "Plays the oboe", embedding=vector(9, 1)),
    )
    assert ids(ranked) == ["near", "far"]


def test_words_and_meaning_together_are_best() -> None:
    ranked = search(
        query("oboe", vector(10, 0)),
        trace("meaning", "clarinet", embedding=vector(10, 0)),
        trace("words", "oboe", embedding=vector(0, 10)),
        trace("both", "oboe", embedding=vector(10, 0)),
    )
    assert ids(ranked)[0] == "both"
    assert len(ranked) == 3


def test_the_length_of_a_vector_does_not_count() -> None:
    traces = [trace("short", "x", embedding=vector(3, 0)), trace("long", "x", embedding=vector(120, 0))]
    first, second = search(query("", vector(7, 0)), *traces)
    assert first.score == pytest.approx(second.score) == pytest.approx(1 - WORDS_WEIGHT)


def test_the_opposite_in_meaning_is_no_worse_than_nothing() -> None:
    asked = query("oboe", vector(10, 0))
    [opposite] = search(asked, trace("a", "oboe", embedding=vector(-10, 0)))
    [none] = search(asked, trace("a", "oboe"))
    assert opposite == none
    assert search(asked, trace("a", "chess", embedding=vector(-10, 0))) == []


def test_vectors_of_another_model_are_ignored() -> None:
    asked = query("oboe", vector(10, 0))
    other = trace("other", "chess", embedding=vector(10, 0, 0, model="old"))
    assert search(asked, other) == []
    assert ids(search(asked, other, trace("a", "oboe", embedding=vector(10, 0)))) == ["a"]


def test_without_an_embedding_of_the_query_the_words_count_in_full() -> None:
    stored = trace("a", "oboe", embedding=vector(10, 0))
    [words] = search(query("oboe"), stored)
    [both] = search(query("oboe", vector(0, 10)), stored)
    assert both.score == pytest.approx(WORDS_WEIGHT * words.score)


def test_a_trace_without_an_embedding_is_found_by_its_words() -> None:
    asked = query("oboe", vector(10, 0))
    assert "gap" in ids(search(asked, trace("gap", "oboe"), trace("a", "chess", embedding=vector(1, 9))))


# Scores

words = st.sampled_from(["tea", "oboe", "green", "Porto", "cats", "the"])
sentences = st.lists(words, max_size=6).map(" ".join)
vectors = st.none() | st.builds(
    lambda numbers, model: vector(*numbers, model=model),
    st.lists(st.integers(-128, 127), min_size=3, max_size=3),
    st.sampled_from(["m", "old"]),
)


@settings(max_examples=100, deadline=None)
@given(
    contents=st.lists(st.tuples(sentences, vectors), max_size=8),
    text=sentences,
    embedding=vectors,
    floor=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_scores_are_between_floor_and_one_best_first(
    contents: list[tuple[str, Embedding | None]], text: str, embedding: Embedding | None, floor: float
) -> None:
    traces = [trace(f"t{number}", content, embedding=one) for number, (content, one) in enumerate(contents)]
    ranked = search(query(text, embedding), *traces, floor=floor)
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 and score >= floor for score in scores)
    assert len(set(ids(ranked))) == len(ranked)
    unfloored = search(query(text, embedding), *traces)
    assert ranked == [one for one in unfloored if one.score >= floor]


def test_a_score_does_not_depend_on_how_good_the_best_hit_is() -> None:
    weak, strong = trace("weak", "green cup"), trace("strong", "green tea from Uji")
    alone = search(query("green tea Uji"), weak)[0].score
    beside = {one.id: one.score for one in search(query("green tea Uji"), weak, strong)}["weak"]
    assert alone == pytest.approx(beside, abs=0.05)
    assert alone < 0.5


def test_what_is_not_relevant_enough_is_not_returned() -> None:
    traces = [trace("good", "green tea from Uji"), trace("poor", "green cup " + "of some kind or another " * 20)]
    scores = {one.id: one.score for one in search(query("green tea Uji"), *traces)}
    assert ids(search(query("green tea Uji"), *traces, floor=(scores["good"] + scores["poor"]) / 2)) == ["good"]
    assert ids(search(query("green tea Uji"), *traces, floor=scores["poor"])) == ["good", "poor"]


def test_the_version_known_is_told() -> None:
    [one] = search(query("tea"), replace(trace("a", "tea"), version=7))
    assert (one.id, one.version) == ("a", 7)


# Filters


def test_all_tags_are_required() -> None:
    traces = [trace("both", "tea", tags=("Home", "Work")), trace("one", "tea", tags=("home",)), trace("none", "tea")]
    asked = query("tea")
    assert ids(search(replace(asked, tags=frozenset({"home", "work"})), *traces)) == ["both"]
    assert sorted(ids(search(replace(asked, tags=frozenset({"home"})), *traces))) == ["both", "one"]
    assert ids(search(replace(asked, tags=frozenset({"hom"})), *traces)) == []


def test_tags_are_compared_folded() -> None:
    assert ids(search(replace(query("tea"), tags=frozenset({"at home"})), trace("a", "tea", tags=("At  HOME",)))) == [
        "a"
    ]


def test_a_span_of_time_includes_its_ends() -> None:
    traces = [trace(f"day{day}", "tea", occurred=NOW + day * DAY) for day in range(5)]
    asked = query("tea", since=NOW + DAY, until=NOW + 3 * DAY)
    assert sorted(ids(search(asked, *traces))) == ["day1", "day2", "day3"]
    assert ids(search(query("tea", since=NOW + DAY + timedelta(microseconds=1)), *traces))[0] != "day1"


def test_what_has_no_time_of_its_own_happened_when_it_was_told() -> None:
    told = trace("told", "tea")
    assert ids(search(query("tea", since=NOW, until=NOW), told)) == ["told"]
    assert search(query("tea", since=NOW + DAY), told) == []


def test_the_time_it_happened_counts_and_not_the_time_it_was_told() -> None:
    old = trace("old", "tea", occurred=NOW - 100 * DAY)
    assert search(query("tea", since=NOW - DAY), old) == []
    assert ids(search(query("tea", until=NOW - DAY), old)) == ["old"]


def test_what_has_expired_is_not_found() -> None:
    traces = [
        trace("past", "tea", expires=NOW - DAY),
        trace("now", "tea", expires=NOW),
        trace("soon", "tea", expires=NOW + timedelta(microseconds=1)),
        trace("never", "tea"),
    ]
    assert sorted(ids(search(query("tea"), *traces))) == ["never", "soon"]


def test_filters_do_not_stop_at_the_first_that_fails_them() -> None:
    traces = [trace("a", "green tea"), trace("b", "tea", tags=("home",))]
    assert ids(search(replace(query("green tea"), tags=frozenset({"home"})), *traces)) == ["b"]


# Nothing there


@pytest.mark.parametrize("embedding", [None, vector(1, 2)])
def test_an_empty_index_has_no_answer(embedding: Embedding | None) -> None:
    assert search(query("tea", embedding)) == []


def test_texts_without_words_do_no_harm() -> None:
    assert ids(search(query("tea"), trace("empty", "..."), trace("a", "tea"))) == ["a"]
    assert search(query("tea"), trace("empty", "...")) == []
