"""memtools beside others that remember: the same texts, questions and vectors in each, on the same machine.

    python -m benchmarks.peers PATH [--distractors FILE] [--json] [--plot [FILE.png]]

PATH is a LoCoMo file, read as `benchmarks.locomo` does. Each conversation is a scope; another one, for speed alone, has
all of them and is filled up with sentences, those of FILE or made-up ones. MiniLM turns every text into a vector once,
beforehand; no system's time has the model in it. The peers run in an environment of their own, in build/peers.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from memtools.embedding.minilm import MiniLM
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.locomo import CORPORA, Conversation, measure, percentile, read
from benchmarks.peer_systems import task
from benchmarks.peer_systems.filler import filled, sentences
from benchmarks.peer_systems.task import Call, Scope, Vectors
from local.environments import environment
from local.template import ROOT

SIZE: Final = 10_000
PINS: Final = ROOT / "benchmarks" / "peers-constraints.txt"
PICTURE: Final = ROOT / "docs" / "pictures" / "peers.png"
_TEXTS_A_CALL = 100
_QUESTIONS_AT_SIZE = 100
_NOTES = """\
Times are milliseconds, to add those a trace; searches are warm, and all run on one thread. Embedding a question takes \
{embed_ms_p50} ms (p50), which is in nobody's time.
memtools: its core, without its stores; in AWS a search also waits for DynamoDB, at least two round trips. It is told \
when a text was said, and makes use of that and of the order; the others are given the text alone. Its ranking was \
chosen by conversations of LoCoMo (docs/decisions/0004-ranking.md), which flatters it on the same ones.
mem0: infer=False, over a local qdrant in files. Semantic is what it does without its extras, BM25 what with them.
The others are in memory; FTS5 goes by words alone.
Versions: {versions}."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A system: its module and class in `benchmarks.peer_systems`, and whether it needs the project's environment."""

    name: str
    module: str
    kind: str
    ours: bool = False


CANDIDATES: Final = (
    Candidate("memtools", "ours", "Ours", ours=True),
    Candidate("mem0, semantic", "mem0", "Semantic"),
    Candidate("mem0, BM25", "mem0", "WithBm25"),
    Candidate("LangGraph InMemoryStore", "langgraph", "LangGraph"),
    Candidate("chromadb", "chroma", "Chroma"),
    Candidate("SQLite FTS5", "fts5", "Fts5"),
)


# ---------------------------------------------------------------- the task


def calls(documents: Iterable[tuple[str, str | None]]) -> list[Call]:
    """The texts with their moments in calls of up to a hundred, of one moment each."""
    found = []
    for moment, group in groupby(documents, key=lambda document: document[1]):
        texts = [text for text, _ in group]
        found += [Call(texts[start : start + _TEXTS_A_CALL], moment) for start in range(0, len(texts), _TEXTS_A_CALL)]
    return found


def scope(conversation: Conversation) -> Scope:
    """The conversation as a scope."""
    documents = [(one.text, one.occurred_at) for one in conversation.documents]
    return Scope(conversation.name, calls(documents), [one.text for one in conversation.questions])


def filled_scope(given: Sequence[Conversation], more: Iterable[str], size: int) -> Scope:
    """One scope of ``size`` texts: all conversations, then ``more``. Of the questions some, from all of them."""
    moments = {one.text: one.occurred_at for conversation in given for one in conversation.documents}
    questions = [one.text for conversation in given for one in conversation.questions]
    documents = [(text, moments.get(text)) for text in filled(moments, more, size)]
    step = max(len(questions) // _QUESTIONS_AT_SIZE, 1)
    return Scope("filled", calls(documents), questions[::step][:_QUESTIONS_AT_SIZE])


def _stages(corpora: Mapping[str, Sequence[Conversation]], more: Sequence[str]) -> dict[str, list[Scope]]:
    stages = {}
    for corpus, given in corpora.items():
        stages[corpus] = [scope(one) for one in given if one.questions]
        stages[_at_size(corpus)] = [filled_scope(given, more, SIZE)]
    return stages


def _at_size(corpus: str) -> str:
    return f"{corpus} at {SIZE}"


def _embedded(stages: Mapping[str, Sequence[Scope]]) -> tuple[Vectors, float]:
    """All vectors, and the milliseconds that one question takes in the middle."""
    scopes = [one for given in stages.values() for one in given]
    texts = list(dict.fromkeys(text for one in scopes for call in one.calls for text in call.texts))
    questions = list(dict.fromkeys(text for one in scopes for text in one.questions))
    model = MiniLM.load()
    vectors, elapsed = [], []
    for start in track(range(0, len(texts), _TEXTS_A_CALL), "Embedding", console=Console(stderr=True)):
        vectors += model.embed(texts[start : start + _TEXTS_A_CALL])
    for question in questions:
        start_of_one = time.perf_counter()
        vectors += model.embed([question])
        elapsed.append((time.perf_counter() - start_of_one) * 1000)
    return Vectors([*texts, *questions], vectors), percentile(elapsed, 0.5)


# ---------------------------------------------------------------- the systems


def _settings(folder: Path) -> dict[str, str]:
    """One thread, no downloads, none of the caller's credentials, and in ``folder`` every file that a peer leaves."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "HF_HUB_OFFLINE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def _run(python: Path, folder: Path, module: str, *arguments: str, given: str = "") -> None:
    done = subprocess.run(
        [str(python), "-m", module, *arguments],
        cwd=ROOT,
        env=_settings(folder),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{module} {' '.join(arguments[:-1])} failed:\n{done.stderr}")


def _played(
    python: Path, corpora: Mapping[str, Sequence[Conversation]], stages: Mapping[str, Sequence[Scope]]
) -> Iterator[dict[str, Any]]:
    """The report of each system on each corpus."""
    vectors, embed_ms = _embedded(stages)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task.write(folder, stages, vectors)
        for one in track(CANDIDATES, "Playing", console=Console(stderr=True)):
            interpreter = Path(sys.executable) if one.ours else python
            _run(interpreter, folder, "benchmarks.peer_systems", one.module, one.kind, str(folder))
            result = json.loads((folder / f"{one.kind}.json").read_text("utf-8"))
            for corpus, given in corpora.items():
                seen = result["seen"]
                about = {"system": one.name, "version": result["version"], "corpus": corpus}
                measured = report(given, seen[corpus], seen[_at_size(corpus)])
                yield {**about, **measured, "embed_ms_p50": round(embed_ms, 1)}


# ---------------------------------------------------------------- the report


def report(given: Sequence[Conversation], seen: Mapping[str, Any], at_size: Mapping[str, Any]) -> dict[str, Any]:
    """What a system found and how long it took, in the order in which it is printed."""
    measures = list(_measures([one for one in given if one.questions], seen))
    return {
        "traces": _count(seen),
        "questions": len(measures),
        **{name: round(fmean(one[name] for one in measures), 4) for name in ("recall@5", "recall@10")},
        **_times(seen),
        f"at_{SIZE}": _times(at_size),
    }


def _measures(given: Sequence[Conversation], seen: Mapping[str, Any]) -> Iterator[dict[str, float]]:
    """The measures of each question; texts that share an id are one."""
    for conversation, ids, answers in zip(given, seen["ids"], seen["answers"], strict=True):
        for question, answer in zip(conversation.questions, answers, strict=True):
            yield measure(answer, frozenset(ids[place] for place in question.relevant))


def _count(seen: Mapping[str, Any]) -> int:
    return sum(len(ids) for ids in seen["ids"])


def _times(seen: Mapping[str, Any]) -> dict[str, float]:
    return {
        "add_ms_per_trace": round(seen["add_ms"] / _count(seen), 3),
        "search_ms_p50": round(percentile(seen["search_ms"], 0.5), 2),
        "search_ms_p95": round(percentile(seen["search_ms"], 0.95), 2),
    }


def _print(reports: Sequence[Mapping[str, Any]]) -> None:
    console = Console()
    for corpus in dict.fromkeys(one["corpus"] for one in reports):
        console.print(_table([one for one in reports if one["corpus"] == corpus]))
    versions = {one["system"].partition(",")[0]: one["version"] for one in reports}
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    console.print(_NOTES.format(versions=told, **reports[0]), highlight=False)


def _table(reports: Sequence[Mapping[str, Any]]) -> Table:
    """A line a system; of searches the median and what all but 5 % do not exceed."""
    first = reports[0]
    table = Table(title=f"LoCoMo, {first['corpus']}: {first['traces']} traces, {first['questions']} questions")
    table.add_column("system")
    search = "search ms\np50 / p95"
    for heading in ("recall\n@5", "recall\n@10", "add\nms", search, f"{SIZE:,}:\nadd ms", search):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in reports:
        times = [text for part in (one, one[f"at_{SIZE}"]) for text in _told(part)]
        table.add_row(one["system"], f"{one['recall@5']:.3f}", f"{one['recall@10']:.3f}", *times)
    return table


def _told(times: Mapping[str, float]) -> tuple[str, str]:
    """The time to add a trace, and those of searches."""
    add, middle, slow = (
        f"{value:.{0 if value >= 10 else 1 if value >= 1 else 2}f}"
        for value in (times[name] for name in ("add_ms_per_trace", "search_ms_p50", "search_ms_p95"))
    )
    return add, f"{middle} / {slow}"


# ---------------------------------------------------------------- the command


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description="Compare memtools with others.")
    parser.add_argument("path", type=Path, help="a LoCoMo file, such as locomo10.json")
    parser.add_argument("--distractors", type=Path, help="sentences to fill a scope up with, one a line")
    parser.add_argument("--json", action="store_true", help="one JSON object a system and corpus")
    parser.add_argument(
        "--plot", type=Path, nargs="?", const=PICTURE, help=f"a picture too ({PICTURE.relative_to(ROOT)})"
    )
    return parser.parse_args(given)


def _sentences(path: Path | None) -> list[str]:
    return path.read_text("utf-8").splitlines() if path else list(sentences())


def main(given: Sequence[str] | None = None) -> None:
    """Play both corpora in every system; print, and draw where that is asked for."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before anything imports numpy, as in the functions
    options = _arguments(given)
    corpora = read(options.path, CORPORA)
    try:
        stages = _stages(corpora, _sentences(options.distractors))
    except (OSError, ValueError) as error:
        sys.exit(f"No scope of {SIZE} can be made: {error}")
    python = environment("peers", PINS)
    reports = []
    for one in _played(python, corpora, stages):
        reports.append(one)
        if options.json:
            print(json.dumps(one), flush=True)
    if not options.json:
        _print(reports)
    if options.plot:
        options.plot.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            picture = str(options.plot.resolve())
            _run(python, Path(folder), "benchmarks.peer_systems.plot", picture, given=json.dumps(reports))


if __name__ == "__main__":
    main()
