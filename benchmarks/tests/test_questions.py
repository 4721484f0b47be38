"""The benchmarks that ask in other ways, in small memories, and in other languages."""

import random
from datetime import timedelta

import pytest

from benchmarks.asked import WAYS, asked
from benchmarks.languages import pairs
from benchmarks.locomo import Conversation, Document, Question
from benchmarks.memory import Memory
from benchmarks.small import Case, cases, figures

QUESTIONS = [f"What does Ana do on day {number}?" for number in range(200)]


@pytest.mark.parametrize("way", WAYS)
def test_each_wording_has_the_question_whole_and_is_used(way: str) -> None:
    told = {question: asked(question, way) for question in QUESTIONS}
    assert all(question in text for question, text in told.items())
    assert len({text.replace(question, "") for question, text in told.items()}) == len(WAYS[way])
    assert told == {question: asked(question, way) for question in QUESTIONS}


def test_rambling_is_a_dozen_messages_in_which_the_question_stands_anywhere() -> None:
    messages = WAYS["rambling"]
    assert len(messages) == 12
    assert all(len(message.split()) >= 35 for message in messages)
    places = [message.index("{q}") / len(message) for message in messages]
    assert min(places) == 0
    assert max(places) > 0.9


def test_every_language_has_questions_about_facts_of_its_own() -> None:
    assert len(pairs()) == 12
    for told in pairs().values():
        assert len(told) == len({fact for fact, _ in told}) == len({question for _, question in told}) >= 8


def test_a_case_is_about_one_person_and_its_answers_are_not_among_the_others() -> None:
    texts = ["Ana sings", "Ana dances", "Bob cooks", "Ana paints"]
    documents = [Document(text, "2026-01-01", frozenset()) for text in texts]
    conversation = Conversation("one", documents, [Question("Who sings?", frozenset({0}))])
    (case,) = cases(conversation, random.Random(0))
    assert case.answers == ["Ana sings"]
    assert sorted(case.others) == ["Ana dances", "Ana paints"]


def test_figures_are_those_of_the_hits() -> None:
    class Told(Memory):
        def ask(self, facts: object, question: str, apart: timedelta = timedelta()) -> list[str]:
            return ["right", "wrong"] if "right" in facts else ["wrong"]  # type: ignore[operator]

    some = [Case("?", ["right"], ["wrong", "other"]), Case("?", ["right", "missed"], ["wrong", "other"])]
    assert figures(some, 3, timedelta(), Told(), random.Random(0)) == [2, 0.5, 0.75, 1]
