"""Which fact comes first in twelve languages, when the question shares a part of a word with it.

    python -m benchmarks.languages

A scope for each language in languages.jsonl: everyday facts, each with a question. Printed for each language: how often
the right fact is first, how many are returned, and how many if the right one is left out.
"""

import json
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from benchmarks.memory import Memory

_PAIRS = Path(__file__).with_name("languages.jsonl")


def pairs() -> dict[str, list[tuple[str, str]]]:
    """Facts and questions by language."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in _PAIRS.read_text("utf-8").splitlines():
        one = json.loads(line)
        found.setdefault(one["language"], []).append((one["fact"], one["question"]))
    return found


def main() -> None:
    """Print a row for each language."""
    table = Table("language", "pairs", "right one first", "returned", "returned without it")
    memory, rows = Memory(), []
    for language, told in pairs().items():
        facts = [fact for fact, _ in told]
        found = [(memory.ask(facts, question), fact) for fact, question in told]
        without = [len(memory.ask([one for one in facts if one != fact], question)) for fact, question in told]
        first = fmean(hits[:1] == [fact] for hits, fact in found)
        rows.append((first, fmean(len(hits) for hits, _ in found), fmean(without)))
        table.add_row(language, str(len(told)), *(f"{number:.2f}" for number in rows[-1]))
    table.add_row("all", "", *(f"{fmean(column):.3f}" for column in zip(*rows, strict=True)))
    Console().print(table)


if __name__ == "__main__":
    main()
