"""How well and how fast memories are found: LoCoMo, through the handlers of the local service.

    python -m benchmarks.locomo PATH [--corpus turns|facts] [--one-scope] [--distractors FILE [--size N]] [--foreign]
                                [--json]

PATH is a file in the format of LoCoMo (A. Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM
Agents", ACL 2024). Each conversation is a user. With ``turns`` every turn is a fact, and those named as a question's
evidence are relevant to it; with ``facts`` every observation is one, relevant where it rests on such a turn.

With --one-scope all conversations are one user. --distractors fills each scope up with the sentences of FILE, one a
line, spread over its time. --foreign also asks each conversation the questions of all others, which nothing in it
answers, and counts what comes back.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from math import ceil, log2
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import requests
from memtools.domain.text import fold
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks.asked import WAYS, asked
from local.demo import warnings_only
from local.service import running

CORPORA: Final = ("turns", "facts")
_ADVERSARIAL = 5  # a category of questions that nothing in the conversation answers
_FACTS_A_CALL = 100
_LIMIT = 10
# Some are written `D:11:26` or `D30:05`, some stand together in one string.
_DIALOGUE_ID = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Document:
    """A text to remember, when it was said, and the turns it rests on."""

    text: str
    occurred_at: str
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the places of the documents that are relevant to it."""

    text: str
    relevant: frozenset[int]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, one scope of the memory."""

    name: str
    documents: list[Document]
    questions: list[Question]


@dataclass(slots=True)
class Measured:
    """What was seen while a corpus was played: per question the measures, and milliseconds."""

    measures: list[dict[str, float]] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    found_foreign: list[int] = field(default_factory=list)
    adds: float = 0.0
    facts: int = 0

    def report(self, corpus: str) -> dict[str, Any]:
        """The averages, in the order in which they are printed."""
        names = ("recall@5", "recall@10", "hit@10", "ndcg@10")
        return {
            "corpus": corpus,
            "questions": len(self.measures),
            **{name: round(fmean(one[name] for one in self.measures), 4) for name in names},
            "add_ms_per_fact": round(self.adds / self.facts, 2),
            "search_ms_p50": round(percentile(self.searches, 0.5), 1),
            "search_ms_p95": round(percentile(self.searches, 0.95), 1),
            **self._silence(),
        }

    def _silence(self) -> dict[str, float]:
        """The share of questions without a result and, if foreign ones were asked, how many results both got."""
        if not self.found:
            return {}
        silent = {"silent": round(fmean(not found for found in self.found), 4)}
        if not self.found_foreign:
            return silent
        return silent | {
            "own_results_mean": round(fmean(self.found), 3),
            "foreign_results_mean": round(fmean(self.found_foreign), 3),
        }


# ---------------------------------------------------------------- the file


def dialogue_ids(given: str | Iterable[str]) -> frozenset[str]:
    """The ids of turns in ``given``, repaired: one or several, each in a string of its own or not."""
    texts = [given] if isinstance(given, str) else given
    found = (match for text in texts for match in _DIALOGUE_ID.finditer(text))
    return frozenset(f"D{int(match[1])}:{int(match[2])}" for match in found)


def _moment(text: str) -> str:
    """``1:56 pm on 8 May, 2023`` in ISO 8601."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()


def _sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    """Each session's name, date and turns, in the order of time."""
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    for name in (f"session_{number}" for number in numbers):
        yield name, _moment(conversation[f"{name}_date_time"]), conversation[name]


def _turns(record: Mapping[str, Any]) -> Iterator[Document]:
    for _, moment, turns in _sessions(record["conversation"]):
        for turn in turns:
            caption = f" ({turn['blip_caption']})" if turn.get("blip_caption") else ""
            yield Document(f"{turn['speaker']}: {turn['text']}{caption}", moment, dialogue_ids(turn["dia_id"]))


def _facts(record: Mapping[str, Any]) -> Iterator[Document]:
    for name, moment, _ in _sessions(record["conversation"]):
        for observations in record["observation"].get(f"{name}_observation", {}).values():
            for text, evidence in observations:
                yield Document(text, moment, dialogue_ids(evidence))


def _questions(record: Mapping[str, Any], documents: Sequence[Document]) -> Iterator[Question]:
    """The questions that have an answer, and to which a document is relevant."""
    for one in record["qa"]:
        evidence = dialogue_ids(one.get("evidence", ()))
        relevant = frozenset(place for place, document in enumerate(documents) if document.turns & evidence)
        if one["category"] != _ADVERSARIAL and relevant:
            yield Question(one["question"], relevant)


def conversations(records: Iterable[Mapping[str, Any]], corpus: str) -> list[Conversation]:
    """The conversations of a LoCoMo file, with their turns or their observations as documents."""
    found = []
    for record in records:
        documents = [one for one in (_turns if corpus == "turns" else _facts)(record) if one.text.strip()]
        found.append(Conversation(record["sample_id"], documents, list(_questions(record, documents))))
    return found


def poured_together(conversations: Sequence[Conversation]) -> list[Conversation]:
    """All of them as one, in one scope."""
    documents: list[Document] = []
    questions: list[Question] = []
    for one in conversations:
        start = len(documents)
        documents += one.documents
        questions += [
            Question(question.text, frozenset(start + place for place in question.relevant))
            for question in one.questions
        ]
    return [Conversation("all", documents, questions)]


def filled_up(conversation: Conversation, sentences: Sequence[str], size: int) -> Conversation:
    """The conversation with as many sentences as make ``size`` documents, a call's worth at a time over its time."""
    moments = [datetime.fromisoformat(document.occurred_at) for document in conversation.documents]
    first, span = min(moments), max(moments) - min(moments)
    added = sentences[: max(size - len(conversation.documents), 0)]
    documents = [
        Document(text, (first + span * (place // _FACTS_A_CALL * _FACTS_A_CALL / len(added))).isoformat(), frozenset())
        for place, text in enumerate(added)
    ]
    return replace(conversation, documents=[*conversation.documents, *documents])


# ---------------------------------------------------------------- the measures


def measure(found: Sequence[str], relevant: frozenset[str]) -> dict[str, float]:
    """Recall, hit and nDCG (binary gains) of one answer."""
    gains = [1 / log2(place + 2) for place, one in enumerate(found[:10]) if one in relevant]
    ideal = sum(1 / log2(place + 2) for place in range(min(10, len(relevant))))
    return {
        "recall@5": len(relevant.intersection(found[:5])) / len(relevant),
        "recall@10": len(gains) / len(relevant),
        "hit@10": float(bool(gains)),
        "ndcg@10": sum(gains) / ideal,
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that ``share`` of all values do not exceed."""
    return sorted(values)[max(ceil(share * len(values)) - 1, 0)]


# ---------------------------------------------------------------- the service


class Client:
    """One user of the service."""

    def __init__(self, url: str, agent: str, user: str) -> None:
        self._url = url
        self._headers = {"x-memory-agent": agent, "x-memory-user": user}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
        """The tool's reply, and the milliseconds it took. Raises RuntimeError where the call is refused."""
        start = time.perf_counter()
        answer = requests.post(f"{self._url}/tools/{tool}", json=arguments, headers=self._headers, timeout=60)
        elapsed = (time.perf_counter() - start) * 1000
        if not answer.ok:
            raise RuntimeError(f"{tool} was refused: {answer.text}")
        reply: dict[str, Any] = answer.json()
        return reply, elapsed


def remember(client: Client, documents: Sequence[Document], measured: Measured) -> Iterator[str]:
    """Add the documents, a session at a time; the id of each, which equal ones share."""
    for moment, group in groupby(documents, key=lambda document: document.occurred_at):
        texts = [document.text for document in group]
        for start in range(0, len(texts), _FACTS_A_CALL):
            facts = texts[start : start + _FACTS_A_CALL]
            reply, elapsed = client.call("memory_add", {"facts": facts, "occurredAt": moment})
            measured.adds += elapsed
            measured.facts += len(facts)
            ids = {fold(one["content"]): one["id"] for one in (*reply["saved"], *reply["duplicates"])}
            yield from (ids[fold(fact)] for fact in facts)


def ask(client: Client, question: Question, ids: Sequence[str], measured: Measured, way: str) -> None:
    """Search for the question, asked in this way, and measure what comes back."""
    reply, elapsed = client.call("memory_search", {"query": asked(question.text, way), "limit": _LIMIT})
    relevant = frozenset(ids[place] for place in question.relevant)
    measured.measures.append(measure([one["id"] for one in reply["results"]], relevant))
    measured.searches.append(elapsed)
    measured.found.append(len(reply["results"]))


def ask_foreign(client: Client, question: Question, measured: Measured) -> None:
    """Search for what nothing here answers, and count what comes back."""
    reply, _ = client.call("memory_search", {"query": question.text, "limit": _LIMIT})
    measured.found_foreign.append(len(reply["results"]))


def play(
    url: str,
    corpus: str,
    conversations: Sequence[Conversation],
    progress: Progress,
    *,
    way: str = "plain",
    foreign: bool = False,
) -> dict[str, Any]:
    """Load one corpus, then ask: a search reads the last minutes' changes again, and these are soon over."""
    measured = Measured()
    adding = progress.add_task(f"{corpus}: adding", total=sum(len(one.documents) for one in conversations))
    asking = progress.add_task(f"{corpus}: asking", total=sum(len(one.questions) for one in conversations))
    loaded: list[tuple[Client, Conversation, list[str]]] = []
    for conversation in conversations:
        client = Client(url, f"locomo-{corpus}", conversation.name)
        ids = []
        for one in remember(client, conversation.documents, measured):
            ids.append(one)
            progress.advance(adding)
        loaded.append((client, conversation, ids))
    for client, conversation, ids in loaded:
        for question in conversation.questions:
            ask(client, question, ids, measured, way)
            progress.advance(asking)
    if foreign:
        pairs = [
            (client, question)
            for client, conversation, _ in loaded
            for other in conversations
            if other is not conversation
            for question in other.questions
        ]
        for client, question in progress.track(pairs, description=f"{corpus}: asking foreign questions"):
            ask_foreign(client, question, measured)
    return measured.report(corpus)


# ---------------------------------------------------------------- the command


def _print(report: Mapping[str, Any]) -> None:
    table = Table(title=f"LoCoMo, {report['corpus']}", show_header=False)
    for name, value in list(report.items())[1:]:
        table.add_row(name.replace("_", " "), str(value))
    Console().print(table)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locomo", description="Measure retrieval on LoCoMo.")
    parser.add_argument("path", type=Path, help="a LoCoMo file, such as locomo10.json")
    parser.add_argument("--corpus", choices=CORPORA, help="what is remembered (default: one after the other)")
    parser.add_argument("--one-scope", action="store_true", help="all conversations in one scope")
    parser.add_argument("--distractors", type=Path, metavar="FILE", help="sentences to fill each scope up with")
    parser.add_argument("--size", type=int, default=10_000, help="documents a scope, with --distractors (%(default)s)")
    parser.add_argument("--foreign", action="store_true", help="also ask each scope the questions of the others")
    parser.add_argument("--asked", choices=tuple(WAYS), default="plain", help="how questions are asked (%(default)s)")
    parser.add_argument("--json", action="store_true", help="one JSON object a corpus")
    options = parser.parse_args(given)
    if options.foreign and options.one_scope:
        parser.error("--foreign needs a scope a conversation: leave --one-scope out")
    return options


def read(path: Path, corpora: Sequence[str]) -> dict[str, list[Conversation]]:
    try:
        records = json.loads(path.read_text("utf-8"))
        read = {corpus: conversations(records, corpus) for corpus in corpora}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{path} cannot be read as a LoCoMo file: {type(error).__name__}: {error}")
    for corpus, found in read.items():
        if not any(one.questions for one in found):
            sys.exit(f"{path} cannot be read as a LoCoMo file: it has no questions about {corpus}")
    return read


def _arranged(read: Mapping[str, list[Conversation]], options: argparse.Namespace) -> dict[str, list[Conversation]]:
    """The conversations in the scopes that the options ask for."""
    arranged = {corpus: poured_together(found) if options.one_scope else found for corpus, found in read.items()}
    if not options.distractors:
        return arranged
    try:
        sentences = [line.strip() for line in options.distractors.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        sys.exit(f"{options.distractors} cannot be read as sentences, one a line: {type(error).__name__}")
    return {
        corpus: [filled_up(conversation, sentences, options.size) for conversation in found]
        for corpus, found in arranged.items()
    }


def main(given: Sequence[str] | None = None) -> None:
    """Measure the corpora asked for, each in the same service."""
    options = _arguments(given)
    played = _arranged(read(options.path, [options.corpus] if options.corpus else CORPORA), options)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with running() as service, warnings_only(), Progress(*columns, console=Console(stderr=True)) as progress:
        for corpus, found in played.items():
            report = play(service.url, corpus, found, progress, way=options.asked, foreign=options.foreign)
            if options.json:
                print(json.dumps(report), flush=True)
            else:
                _print(report)


if __name__ == "__main__":
    main()
