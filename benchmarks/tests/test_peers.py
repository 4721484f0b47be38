"""The comparison hands every system the same, measures each alike, and its reports have the keys that others read."""

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.apart import Apart
from benchmarks.locomo import Conversation, Document, Question
from benchmarks.peer_systems import task
from benchmarks.peer_systems.filler import filled, sentences
from benchmarks.peer_systems.fts5 import Fts5, any_word_of
from benchmarks.peer_systems.ours import Ours
from benchmarks.peer_systems.player import System, play
from benchmarks.peer_systems.task import DIMENSIONS, Call, Scope, Vectors

TEXTS = ["Ida's kiln broke.", "Ole feels for Ida.", "Ida's kiln was fixed.", "ida's kiln  broke."]
QUESTIONS = ["What broke?", "Who feels for whom?"]
CONVERSATION = Conversation(
    "invented-1",
    [Document(text, f"2024-01-3{place // 2}", frozenset()) for place, text in enumerate(TEXTS)],
    [Question(QUESTIONS[0], frozenset({0, 3})), Question(QUESTIONS[1], frozenset({1}))],
)
SCOPE = peers.scope(CONVERSATION)


def vector(place: int) -> bytes:
    return bytes(127 if one == place else 1 for one in range(DIMENSIONS))


VECTORS = Vectors([*TEXTS, *QUESTIONS], [vector(place) for place in (0, 1, 2, 0, 0, 1)])


# ---------------------------------------------------------------- the task


def test_a_call_has_one_moment_and_up_to_a_hundred_texts() -> None:
    documents = [*((f"Fact {number}", "2024-01-31") for number in range(150)), ("New", "2024-02-01"), ("Made up", None)]
    got = peers.calls(documents)
    assert [(len(one.texts), one.moment) for one in got] == [
        (100, "2024-01-31"),
        (50, "2024-01-31"),
        (1, "2024-02-01"),
        (1, None),
    ]


def test_a_scope_is_filled_up_with_sentences_that_have_no_moment() -> None:
    got = peers.filled_scope([CONVERSATION], ["More 1", "ole feels for ida.", "More 2", "More 3"], 5)
    assert got.calls == [
        Call(TEXTS[:2], "2024-01-30"),
        Call(TEXTS[2:3], "2024-01-31"),
        Call(["More 1", "More 2"], None),
    ]
    assert got.questions == QUESTIONS


def test_a_hundred_questions_are_spread_over_all() -> None:
    many = [Question(f"Question {number}?", frozenset({0})) for number in range(350)]
    got = peers.filled_scope([Conversation("many", CONVERSATION.documents, many)], [], 3).questions
    assert (len(got), got[0], got[1], got[-1]) == (100, "Question 0?", "Question 3?", "Question 297?")


def test_a_scope_that_cannot_be_filled_says_so() -> None:
    with pytest.raises(ValueError, match="3 distinct sentences for a scope of 4"):
        filled(["a", "A ", "b", "", "c"], [], 4)


def test_more_texts_than_asked_for_are_left_out() -> None:
    assert filled(["a", "b", "c"], ["d"], 2) == ["a", "b"]


def test_made_up_sentences_are_many_distinct_and_always_the_same() -> None:
    made = list(islice(sentences(), peers.SIZE))
    assert len({one.casefold() for one in made}) == peers.SIZE
    assert made == list(islice(sentences(), peers.SIZE))
    assert made[:20] != list(islice(sentences(seed=2), 20))


def test_the_task_is_read_as_it_was_written(tmp_path: Path) -> None:
    task.write(tmp_path, {"turns": [SCOPE]}, VECTORS)
    stages, vectors = task.read(tmp_path)
    assert stages == {"turns": [SCOPE]}
    assert dict(vectors.items()) == dict(VECTORS.items())


def test_vectors_are_found_with_white_space_around_the_text() -> None:
    vectors = Vectors([" a "], [bytes([3, 252, *[0] * (DIMENSIONS - 2)])])
    assert "a\n" in vectors
    assert "b" not in vectors
    assert vectors.unit("a").tolist()[:3] == pytest.approx([0.6, -0.8, 0])


# ---------------------------------------------------------------- playing


class Sleepy:
    """Counts its calls, and says of a part of each that it is not to be measured."""

    def __init__(self) -> None:
        self.seconds_apart = 0.0
        self.calls: list[tuple[str, ...]] = []

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        self.calls.append((scope, *texts))
        self.seconds_apart += 60
        return [f"id of {text}" for text in texts]

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        self.calls.append((scope, text))
        time.sleep(0.002)
        self.seconds_apart += 0.001
        return [f"answer to {text}"][:limit]


def test_all_is_added_before_the_first_question_which_is_asked_twice() -> None:
    system = Sleepy()
    played = play(system, [Scope("a", [Call(["1", "2"], None), Call(["3"], None)], ["x", "y"]), Scope("b", [], ["z"])])
    assert system.calls == [("a", "1", "2"), ("a", "3"), ("a", "x"), ("a", "x"), ("a", "y"), ("b", "z"), ("b", "z")]
    assert played.ids == [["id of 1", "id of 2", "id of 3"], []]
    assert played.answers == [[["answer to x"], ["answer to y"]], [["answer to z"]]]


def test_what_a_system_sets_apart_is_not_counted_and_no_time_is_below_zero() -> None:
    played = play(Sleepy(), [SCOPE])
    assert played.add_ms == 0
    assert len(played.search_ms) == len(QUESTIONS)
    assert all(1 <= one < 1000 for one in played.search_ms)


@pytest.mark.parametrize("system", [Ours, Fts5])
def test_a_system_finds_its_own_texts_and_none_of_another_scope(system: type[Ours | Fts5]) -> None:
    made: System = system(VECTORS)
    played = play(made, [SCOPE, Scope("other", [Call(TEXTS[2:3], None)], QUESTIONS[:1])])
    ids = played.ids[0]
    (broke, feels), (other,) = played.answers
    assert broke[0] in {ids[0], ids[3]}
    assert feels[0] == ids[1]
    assert set(broke) <= set(ids)
    assert set(other) <= set(played.ids[1])


def test_words_of_the_query_language_are_words() -> None:
    assert any_word_of('Does "Ole" NOT feel?') == '"Does" OR "Ole" OR "NOT" OR "feel"'


# ---------------------------------------------------------------- time set apart


class Slow:
    name = "slow"

    def wait(self) -> str:
        time.sleep(0.005)
        return self.name

    def items(self) -> Iterator[int]:
        for number in range(3):
            time.sleep(0.005)
            yield number

    def fail(self) -> None:
        time.sleep(0.005)
        raise KeyError


def test_time_inside_methods_is_added_up() -> None:
    apart = Apart(Slow())
    assert apart.name == "slow"
    assert apart.seconds == 0
    assert apart.wait() == "slow"
    first = apart.seconds
    assert first >= 0.005
    with pytest.raises(KeyError):
        apart.fail()
    assert apart.seconds >= first + 0.005


def test_an_iterator_takes_time_while_it_is_consumed_but_not_between() -> None:
    apart = Apart(Slow())
    items = apart.items()
    assert apart.seconds < 0.005
    assert next(items) == 0
    started = apart.seconds
    time.sleep(0.05)
    assert apart.seconds == started
    assert list(items) == [1, 2]
    assert 0.015 <= apart.seconds < 0.05


# ---------------------------------------------------------------- the report


SEEN = {"ids": [["a", "b", "c", "a"]], "answers": [[["c", "a"], ["c"]]], "add_ms": 2.0, "search_ms": [1.0, 4.0]}
AT_SIZE = {"ids": [["a"] * 10], "answers": [[["a"]]], "add_ms": 5.0, "search_ms": [float(one) for one in range(1, 101)]}


def test_the_report_has_the_keys_that_others_read() -> None:
    without_questions = Conversation("silent", CONVERSATION.documents, [])
    assert peers.report([without_questions, CONVERSATION], SEEN, AT_SIZE) == {
        "traces": 4,
        "questions": 2,
        "recall@5": 0.5,
        "recall@10": 0.5,
        "add_ms_per_trace": 0.5,
        "search_ms_p50": 1.0,
        "search_ms_p95": 4.0,
        "at_10000": {"add_ms_per_trace": 0.5, "search_ms_p50": 50.0, "search_ms_p95": 95.0},
    }


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    about = {"version": "1.0", "corpus": "turns", "embed_ms_p50": 4.2}
    measured = about | peers.report([CONVERSATION], SEEN, AT_SIZE)
    peers._print([{"system": name, **measured} for name in ("one, fast", "one, slow", "other")])
    printed = " ".join(capsys.readouterr().out.split())
    assert "turns: 4 traces, 2 questions" in printed
    assert "│ one, slow │ 0.500 │ 0.500 │ 0.50 │ 1.0 / 4.0 │ 0.50 │ 50 / 95 │" in printed
    assert "takes 4.2 ms (p50)" in printed
    assert "Versions: one 1.0, other 1.0." in printed
