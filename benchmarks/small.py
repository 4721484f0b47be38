"""What a search in a small memory returns: facts of one person of a LoCoMo file, told in one sitting or over days.

    python -m benchmarks.small PATH

Printed for scopes of 5, 20 and 80 facts: how many are returned, the share of these that answer the question, that of
the answers that are returned, and how many are returned if the answers are left out.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from benchmarks.locomo import Conversation, read
from benchmarks.memory import Memory

_SIZES = (5, 20, 80)
_QUESTIONS = 60  # of each conversation
_MOST_ANSWERS = 2


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the facts that answer it, and others of the same person."""

    question: str
    answers: list[str]
    others: list[str]


def cases(conversation: Conversation, chance: random.Random) -> Iterator[Case]:
    """Some of the questions that one or two facts answer."""
    texts = [document.text for document in conversation.documents]
    for question in chance.sample(conversation.questions, min(_QUESTIONS, len(conversation.questions))):
        answers = [texts[place] for place in sorted(question.relevant)]
        person = answers[0].split()[0]
        others = [text for text in dict.fromkeys(texts) if text.split()[0] == person and text not in answers]
        if len(answers) <= _MOST_ANSWERS:
            yield Case(question.text, answers, chance.sample(others, len(others)))


def figures(some: list[Case], size: int, apart: timedelta, memory: Memory, chance: random.Random) -> list[float]:
    """Returned, precision, recall, and returned without the answers. The precision is that of all hits together."""
    returned, right, recall, without = [], [], [], []
    for case in some:
        others = case.others[: size - len(case.answers)]
        facts = chance.sample([*case.answers, *others], size)
        hits = memory.ask(facts, case.question, apart)
        found = [fact for fact in hits if fact in case.answers]
        returned.append(len(hits))
        right.append(len(found))
        recall.append(len(found) / len(case.answers))
        without.append(len(memory.ask(chance.sample(others, len(others)), case.question, apart)))
    return [fmean(returned), sum(right) / max(sum(returned), 1), fmean(recall), fmean(without)]


def main() -> None:
    """Print a row for each size, told in one sitting and two days apart."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    chance, memory = random.Random(0), Memory()
    conversations = read(Path(sys.argv[1]), ["facts"])["facts"]
    found = [case for one in conversations for case in cases(one, chance)]
    table = Table("facts", "told", "questions", "returned", "precision", "recall", "returned without the answers")
    for size in _SIZES:
        some = [case for case in found if len(case.others) >= size]
        for told, apart in (("in one sitting", timedelta(seconds=1)), ("over days", timedelta(days=2))):
            numbers = figures(some, size, apart, memory, chance)
            table.add_row(str(size), told, str(len(some)), *(f"{number:.3f}" for number in numbers))
    Console().print(table)


if __name__ == "__main__":
    main()
