"""Which traces answer a query, and how well."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.trace import Embedding, Trace
from memtools.embedding.minilm import MiniLM
from memtools.ranking import score as scoring
from memtools.ranking.columns import Columns
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank
from memtools.ranking.score import Ranked

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
FLOOR = 0.25  # RelevanceFloor, unless it is set


def trace(
    name: str,
    content: str,
    *,
    tags: tuple[str, ...] = (),
    occurred: datetime | None = None,
    expires: datetime | None = None,
    embedding: Embedding | None = None,
    told: datetime = NOW,
) -> Trace:
    return Trace(
        id=name,
        content=content,
        created_at=told,
        changed_at=told,
        tags=tags,
        occurred_at=occurred,
        expires_at=expires,
        embedding=embedding,
    )


def vector(*numbers: int, model: str = "m") -> Embedding:
    return Embedding(model, np.array(numbers, np.int8).tobytes())


def query(text: str, embedding: Embedding | None = None, **filters: datetime | None) -> Query:
    return Query(text=text, embeddings=[embedding], now=NOW, **filters)  # type: ignore[arg-type]


def told_together(asked: Query, *traces: Trace, floor: float = 0.0) -> list[Ranked]:
    return list(rank(Index.empty("m").fold(traces), asked, floor=floor))


def search(asked: Query, *traces: Trace, floor: float = 0.0) -> list[Ranked]:
    """Told so far apart that none is beside another."""
    apart = [replace(one, created_at=one.created_at + 2 * number * DAY) for number, one in enumerate(traces)]
    return told_together(asked, *apart, floor=floor)


def ids(ranked: list[Ranked]) -> list[str]:
    return [one.id for one in ranked]


def scores(ranked: list[Ranked]) -> dict[str, float]:
    return {one.id: one.score for one in ranked}


# Words


def test_a_question_finds_what_shares_some_of_its_words() -> None:
    ranked = search(
        query("what theme does the user prefer"),
        trace("oboe", "Plays the oboe"),
        trace("dark", "prefers dark theme"),
        trace("cat", "Prefers cats to dogs"),
    )
    assert ids(ranked) == ["dark", "cat"]
    assert all(one.meaning_score is None for one in ranked)


def test_more_of_the_words_is_better() -> None:
    traces = [trace("one", "green cup"), trace("two", "green tea"), trace("three", "green tea from Uji")]
    assert ids(search(query("green tea Uji"), *traces)) == ["three", "two", "one"]


def test_a_word_asked_for_twice_counts_once() -> None:
    traces = [trace("a", "oboe"), trace("b", "green tea")]
    assert search(query("oboe oboe oboes tea"), *traces) == search(query("oboe tea"), *traces)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    traces = [trace(f"tea{number}", f"tea number {number}") for number in range(60)]
    assert ids(search(query("tea oboe"), *traces, trace("oboe", "an oboe")))[0] == "oboe"


def test_a_short_text_scores_more_than_a_long_one() -> None:
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


def test_equal_scores_are_in_the_order_of_time() -> None:
    traces = [trace("b", "tea"), trace("a", "tea"), trace("c", "tea")]
    assert ids(search(query("tea"), *traces)) == ["b", "a", "c"]


def test_a_word_misspelt_finds_what_was_meant() -> None:
    traces = [trace("a", "is allergic to peanuts"), trace("b", "plays the oboe")]
    for text in ("penuts", "peanust", "peabuts", "peanutts", "PEANNUTS"):
        assert ids(search(query(text), *traces)) == ["a"]
    assert scores(search(query("penuts"), *traces)) == scores(search(query("peanuts"), *traces))


def test_a_word_well_spelt_does_not_find_what_is_spelt_nearly_alike() -> None:
    assert ids(search(query("moths"), trace("a", "a month in Porto"), trace("b", "afraid of moths"))) == ["b"]


@pytest.mark.parametrize(
    ("asked", "content"),
    [("preference", "Preferences: dark"), ("running", "runs every day"), ("allergies", "allergy to nuts")],
)
def test_another_form_of_a_word_finds(asked: str, content: str) -> None:
    assert ids(search(query(asked), trace("a", content), trace("b", "plays the oboe"))) == ["a"]


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
    assert first.score == pytest.approx(second.score)
    assert scores(search(query("", vector(7, 0)), *traces)) == pytest.approx(
        scores(search(query("", vector(100, 0)), *traces))
    )


def test_an_opposite_meaning_scores_like_an_unrelated_one() -> None:
    asked = query("oboe", vector(10, 0))
    [opposite] = search(asked, trace("a", "oboe", embedding=vector(-10, 0)))
    assert opposite.meaning_score == pytest.approx(-1, abs=0.01)
    assert opposite.score == pytest.approx(scoring._SCALE * scoring._WORDS * opposite.word_score)
    assert search(asked, trace("a", "chess", embedding=vector(-10, 0))) == []


def test_vectors_of_another_model_are_ignored() -> None:
    asked = query("oboe", vector(10, 0))
    other = trace("other", "chess", embedding=vector(10, 0, 0, model="old"))
    assert search(asked, other) == []
    assert ids(search(asked, other, trace("a", "oboe", embedding=vector(10, 0)))) == ["a"]


@pytest.mark.parametrize("embedding", [vector(10, 0, model="old"), vector(10, 0, 0), vector(1), vector(), vector(0, 0)])
def test_an_unusable_query_vector_leaves_only_words(embedding: Embedding) -> None:
    """A vector of another model or length, or a zero vector, is not compared."""
    traces = [trace("a", "oboe", embedding=vector(10, 0)), trace("b", "chess", embedding=vector(9, 1)), trace("c", "x")]
    assert search(query("oboe", embedding), *traces) == search(query("oboe"), *traces) != []


def test_without_an_embedding_of_the_query_the_words_count_for_more() -> None:
    stored = trace("a", "oboe", embedding=vector(10, 0))
    [words] = search(query("oboe"), stored)
    [both] = search(query("oboe", vector(0, 10)), stored)
    assert words.score > both.score
    assert words.word_score == both.word_score


def test_without_a_word_in_any_trace_the_meaning_counts_for_more() -> None:
    stored = trace("a", "oboe", embedding=vector(10, 3))
    [meaning] = search(query("violin", vector(10, 0)), stored)
    [both] = search(query("chess", vector(10, 0)), stored, trace("b", "chess"))[1:]
    assert (both.id, both.word_score, meaning.word_score) == ("a", 0, 0)
    assert meaning.score > both.score


def test_a_trace_without_an_embedding_is_found_by_its_words() -> None:
    asked = query("oboe", vector(10, 0))
    assert "gap" in ids(search(asked, trace("gap", "oboe"), trace("a", "chess", embedding=vector(1, 9))))


def test_what_all_traces_have_in_common_counts_little() -> None:
    alike = [trace(f"t{number}", "x", embedding=vector(100, 0, number - 50)) for number in range(100)]
    apart = trace("apart", "x", embedding=vector(100, 100, 0))
    asked = query("", vector(100, 60, 0))
    cosine = 100 / np.hypot(100, 60)
    [alone] = search(asked, alike[50])
    assert alone.meaning_score == pytest.approx(cosine, abs=0.02)
    among = {one.id: one.meaning_score for one in search(asked, *alike, apart)}
    assert among["t50"] is not None
    assert among["apart"] is not None
    assert among["t50"] < cosine - 0.1
    assert among["apart"] > 0.9


# What was said around the same time


def lifted(distance: timedelta, *, own: str = "green cup") -> Ranked:
    """A trace that tells of a part of what is asked for, and so far from it one that tells all."""
    traces = [trace("part", own), trace("all", "green tea from Uji", told=NOW + distance)]
    return next(one for one in told_together(query("green tea Uji"), *traces) if one.id == "part")


def test_a_neighbour_in_time_of_a_hit_scores_more() -> None:
    assert lifted(HOUR).score > lifted(2 * DAY).score
    assert lifted(-HOUR).score == pytest.approx(lifted(HOUR).score)
    assert lifted(HOUR).neighbour_factor > 1.05
    assert lifted(2 * DAY).neighbour_factor == pytest.approx(1)


def test_neighbours_are_at_most_a_day_apart() -> None:
    moment = timedelta(microseconds=1)
    assert lifted(DAY).score == lifted(HOUR).score
    assert lifted(DAY + moment).score == lifted(-DAY - moment).score == pytest.approx(lifted(9 * DAY).score)


def test_closer_neighbours_count_more_and_the_fourth_nothing() -> None:
    def score(between: int) -> float:
        others = [trace(f"other{number}", "chess", told=NOW + number * HOUR) for number in range(1, between + 1)]
        traces = [trace("part", "green cup"), *others, trace("all", "green tea from Uji", told=NOW + 9 * HOUR)]
        return scores(told_together(query("green tea Uji"), *traces))["part"]

    first, second, third, fourth, fifth = map(score, range(5))
    assert first > second > third > fourth == pytest.approx(fifth, rel=1e-2)


words = st.sampled_from(["tea", "oboe", "green", "Porto", "Maria", "cats", "the"])
sentences = st.lists(words, max_size=6).map(" ".join)
directions = st.lists(st.integers(-128, 127), min_size=3, max_size=3)
vectors = st.none() | st.builds(
    lambda numbers, model: vector(*numbers, model=model), directions, st.sampled_from(["m", "m", "old"])
)
ages = st.integers(0, 60).map(lambda hours: NOW - hours * HOUR)
scopes = st.lists(st.tuples(sentences, vectors, ages), max_size=8).map(
    lambda told: [trace(f"t{number}", text, embedding=one, told=when) for number, (text, one, when) in enumerate(told)]
)


@given(traces=scopes, text=sentences, embedding=vectors)
def test_a_trace_without_a_score_of_its_own_is_not_raised(
    traces: list[Trace], text: str, embedding: Embedding | None
) -> None:
    """Whatever is told beside it."""
    for one in told_together(query(text, embedding), *traces):
        assert one.word_score > 0 or (one.meaning_score is not None and one.meaning_score > 0)
        assert one.neighbour_factor >= 1 - 1e-5


@given(traces=scopes, text=sentences, embedding=vectors)
def test_a_score_equals_its_explained_parts(traces: list[Trace], text: str, embedding: Embedding | None) -> None:
    ranked = told_together(query(text, embedding), *traces)
    by_id = {one.id: one for one in traces}
    known = embedding is not None and embedding.model == "m" and any(embedding.vector)
    by_words = scores(told_together(query(text), *traces))
    for one in ranked:
        stored = by_id[one.id].embedding
        assert (one.meaning_score is not None) == (
            known and stored is not None and stored.model == "m" and any(stored.vector)
        )
        if one.meaning_score is None:
            own = scoring._WORDS_ALONE * one.word_score
        else:
            own = scoring._WORDS * one.word_score + scoring._MEANING * max(one.meaning_score, 0)
        assert one.score == pytest.approx(
            min(1, scoring._SCALE * own * one.neighbour_factor * one.name_factor * one.meaning_only_factor), rel=1e-4
        )
        assert one.meaning_only_factor == (1 if by_words else scoring._MEANING_ALONE)


# Names


def test_a_trace_without_the_names_asked_for_scores_less() -> None:
    traces = [trace("named", "Maria plays the oboe"), trace("other", "She plays the oboe")]
    asked = {one.id: one for one in search(query("Does Maria play the oboe?"), *traces)}
    plain = {one.id: one for one in search(query("does maria play the oboe?"), *traces)}
    assert asked["named"] == plain["named"]
    assert (asked["named"].name_factor, plain["other"].name_factor) == (1, 1)
    assert asked["other"].name_factor == pytest.approx(scoring._NAME_MISMATCH_PENALTY)
    assert asked["other"].score == pytest.approx(scoring._NAME_MISMATCH_PENALTY * plain["other"].score)


def test_one_of_the_names_is_enough() -> None:
    traces = [trace(name, f"{name} likes tea") for name in ("Maria", "Jon", "Ana")]
    told = {one.id: one.name_factor for one in search(query("Do Maria and Jon like tea?"), *traces)}
    assert told == {"Maria": 1, "Jon": 1, "Ana": pytest.approx(scoring._NAME_MISMATCH_PENALTY)}


def test_a_name_misspelt_is_still_that_name() -> None:
    traces = [trace("named", "Maria plays the oboe"), trace("other", "She plays the oboe")]
    told = {one.id: one.name_factor for one in search(query("Does Mariia play the oboe?"), *traces)}
    assert told == {"named": 1, "other": pytest.approx(scoring._NAME_MISMATCH_PENALTY)}


def test_a_tag_can_name_somebody() -> None:
    [one] = search(query("Does Maria play the oboe?"), trace("a", "plays the oboe", tags=("maria",)))
    assert one.name_factor == 1


# Scores


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
    told = [one.score for one in ranked]
    assert told == sorted(told, reverse=True)
    assert all(0 < score <= 1 and score >= floor for score in told)
    assert len(set(ids(ranked))) == len(ranked)
    unfloored = search(query(text, embedding), *traces)
    assert ranked == unfloored[: len(ranked)]
    assert all(one.score < floor or one.score < told[0] for one in unfloored[len(ranked) :])


def test_a_score_does_not_depend_on_how_good_the_best_hit_is() -> None:
    weak, strong = trace("weak", "green cup"), trace("strong", "green tea from Uji")
    alone = search(query("green tea Uji"), weak)[0].score
    beside = {one.id: one.score for one in search(query("green tea Uji"), weak, strong)}["weak"]
    assert alone == pytest.approx(beside, abs=0.05)
    assert alone < 0.5


def test_what_is_not_relevant_enough_is_not_returned() -> None:
    traces = [trace("good", "green tea from Uji"), trace("poor", "green cup " + "of some kind or another " * 20)]
    told = scores(search(query("green tea Uji"), *traces))
    assert ids(search(query("green tea Uji"), *traces, floor=(told["good"] + told["poor"]) / 2)) == ["good"]


def test_what_is_far_below_the_best_is_not_returned_but_alone_it_is() -> None:
    traces = [trace("good", "green tea from Uji"), trace("poor", "green cup")]
    assert ids(search(query("green tea Uji"), *traces, floor=0.1)) == ["good"]
    assert ids(search(query("green tea Uji"), traces[1], floor=0.1)) == ["poor"]


def test_candidates_have_the_indexed_version() -> None:
    [one] = search(query("tea"), replace(trace("a", "tea"), version=7))
    assert (one.id, one.version) == ("a", 7)


def test_a_text_that_says_just_what_is_asked_for_scores_about_one() -> None:
    [one] = search(query("green tea", vector(9, 1)), trace("a", "green tea", embedding=vector(9, 1)))
    assert one.score > 0.9


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM.load()


HABITS = ("Plays the oboe in an orchestra", "Is allergic to peanuts", "Works from Lisbon on Fridays")


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("text", "found"), [("oboe", 0), ("allergic to peanuts", 1), ("what does she play?", 0), ("Lisbon", 2)]
)
def test_in_a_small_scope_only_the_right_trace_is_relevant(model: MiniLM, known: bool, text: str, found: int) -> None:
    vectors = [Embedding("m", one) for one in model.embed([*HABITS, text])]
    traces = [
        trace(str(number), one, embedding=vectors[number] if known else None) for number, one in enumerate(HABITS)
    ]
    assert ids(search(query(text, vectors[-1]), *traces, floor=FLOOR)) == [str(found)]
    [alone] = search(query(text, vectors[-1]), traces[found], floor=FLOOR)
    assert alone.id == str(found)


@pytest.mark.parametrize(("text", "found"), [("musical instrument", 0), ("nut allergies", 1), ("job in portugal", 2)])
def test_the_right_one_is_relevant_by_its_meaning_alone(model: MiniLM, text: str, found: int) -> None:
    *stored, asked = [Embedding("m", one) for one in model.embed([*HABITS, text])]
    traces = [trace(str(number), "…", embedding=one) for number, one in enumerate(stored)]
    assert ids(search(query(text, asked), *traces, floor=FLOOR))[:1] == [str(found)]


def test_an_unrelated_query_finds_nothing(model: MiniLM) -> None:
    *stored, asked = [Embedding("m", one) for one in model.embed([*HABITS, "quarterly tax deadlines"])]
    traces = [trace(str(number), HABITS[number], embedding=one) for number, one in enumerate(stored)]
    assert search(query("quarterly tax deadlines", asked), *traces, floor=FLOOR) == []


# Many traces


def many(seed: int, count: int) -> tuple[Index, list[Query]]:
    """Traces on some subjects, each with words and a direction of its own, told at any time, and queries like them."""
    random = np.random.default_rng(seed)
    subjects = random.normal(size=(40, 384))
    vocabulary = [f"word{number}" for number in range(400)]

    def like(subject: int) -> tuple[str, Embedding]:
        direction = subjects[subject] + random.normal(size=384)
        chosen = random.choice(vocabulary[subject * 10 : subject * 10 + 30] + vocabulary[:20], 4)
        return " ".join(chosen), Embedding("m", (direction / np.abs(direction).max() * 127).astype(np.int8).tobytes())

    traces = []
    for number in range(count):
        content, embedding = like(int(random.integers(40)))
        told = NOW - int(random.integers(100_000)) * timedelta(minutes=1)
        known = embedding if random.random() < 0.95 else None
        traces.append(trace(f"t{number}", content, embedding=known, told=told, tags=("odd",) if number % 2 else ()))
    asked = [like(subject) for subject in range(0, 36, 3)]
    filters = (frozenset[str](), frozenset({"odd"}))
    return Index(Columns.of(traces, "m")), [
        replace(query(text, embedding), tags=filters[number % 2]) for number, (text, embedding) in enumerate(asked)
    ]


@pytest.mark.parametrize(("seed", "count"), [(1, 1001), (2, 3000), (3, 3000)])
def test_among_many_the_first_hits_are_those_of_a_full_comparison(seed: int, count: int) -> None:
    index, queries = many(seed, count)
    for asked in queries:
        quick = list(rank(index, asked, floor=0))
        with patch.object(scoring, "_CANDIDATES", count):
            full = list(rank(index, asked, floor=0))
        assert len(full) > len(quick) >= 100
        clearly = [one.id for one in full[:10] if one.score > full[9].score + 0.01]
        assert set(clearly) <= set(ids(quick)[:10])
        first, expected = ([one.score for one in ranked[:10]] for ranked in (quick, full))
        assert first == pytest.approx(expected, abs=0.01)


def test_among_many_a_rare_match_that_passes_the_filters_is_found() -> None:
    traces = [trace(f"t{number}", "green tea", told=NOW + number * HOUR) for number in range(2500)]
    rare = trace("rare", "tea", tags=("rare",), told=NOW + 1000.5 * HOUR)
    asked = replace(query("green tea"), tags=frozenset({"rare"}))
    assert ids(told_together(asked, *traces, rare)) == ["rare"]


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


def test_without_a_time_of_its_own_a_trace_counts_from_creation() -> None:
    told = trace("told", "tea")
    assert ids(search(query("tea", since=NOW, until=NOW), told)) == ["told"]
    assert search(query("tea", since=NOW + DAY), told) == []


def test_filters_use_the_time_it_happened_not_its_creation() -> None:
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


@given(traces=scopes, text=sentences, since=ages, until=ages)
def test_a_filter_leaves_the_scores_of_what_passes_it(
    traces: list[Trace], text: str, since: datetime, until: datetime
) -> None:
    everything = told_together(query(text), *traces)
    when = {one.id: one.when for one in traces}
    some = told_together(query(text, since=since, until=until), *traces)
    passing = [one for one in everything if since <= when[one.id] <= until]
    assert scores(some) == pytest.approx(scores(passing))


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
