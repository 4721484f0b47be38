"""Which fact comes first in twelve languages, when the question shares a part of a word with it.

    python -m benchmarks.languages

A scope for each language in languages.jsonl: everyday facts, each with a question. Printed for each language: how often
the right fact is first, how many are returned, and how many if the right one is left out.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean

from memtools.domain.trace import Trace
from memtools.embedding.minilm import LocalEmbedder
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank
from memtools.ranking.terms import parts
from rich.console import Console
from rich.table import Table

_PAIRS = Path(__file__).with_name("languages.jsonl")
_NOW = datetime(2026, 12, 1, tzinfo=UTC)
_FLOOR = 0.25  # RelevanceFloor, unless it is set
_EMBEDDER = LocalEmbedder()


def pairs() -> dict[str, list[tuple[str, str]]]:
    """Facts and questions by language."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in _PAIRS.read_text("utf-8").splitlines():
        one = json.loads(line)
        found.setdefault(one["language"], []).append((one["fact"], one["question"]))
    return found


def ask(facts: Sequence[str], question: str) -> list[str]:
    """The facts that a search among them returns, best first."""
    traces = [
        Trace(id=str(number), content=fact, created_at=_NOW + timedelta(seconds=number), changed_at=_NOW, embedding=one)
        for number, (fact, one) in enumerate(zip(facts, _EMBEDDER.embed(facts), strict=True))
    ]
    query = Query(text=question, embeddings=_EMBEDDER.embed(parts(question)), now=_NOW + timedelta(days=1))
    index = Index.empty(_EMBEDDER.model).fold(traces)
    return [facts[int(one.id)] for one in rank(index, query, floor=_FLOOR)]


def main() -> None:
    """Print a row for each language."""
    table = Table("language", "pairs", "right one first", "returned", "returned without it")
    rows = []
    for language, told in pairs().items():
        facts = [fact for fact, _ in told]
        found = [(ask(facts, question), fact) for fact, question in told]
        without = [len(ask([one for one in facts if one != fact], question)) for fact, question in told]
        first = fmean(hits[:1] == [fact] for hits, fact in found)
        rows.append((first, fmean(len(hits) for hits, _ in found), fmean(without)))
        table.add_row(language, str(len(told)), *(f"{number:.2f}" for number in rows[-1]))
    table.add_row("all", "", *(f"{fmean(column):.3f}" for column in zip(*rows, strict=True)))
    Console().print(table)


if __name__ == "__main__":
    main()
