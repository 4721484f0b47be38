"""A call of every tool, each with the memory it meets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.domain.trace import key_of
from memtools.embedding.none import NoEmbedder

from tests.calls import Caller
from tests.fakes import FakeClock

Names = Mapping[str, str]


@dataclass(frozen=True)
class Scenario:
    """A tool call and what is there before it. ``names`` gives the ids of the traces born with a text."""

    name: str
    tool: str
    prepare: Callable[[Caller], None]
    arguments: Callable[[Names], dict[str, Any]]
    key: str | None = None
    """The idempotency key of the call, where the state does not tell whether it was made before."""


TEXTS = ("tea", "coffee", "milk", "water", "juice", "cocoa", "coffee | water | milk")


def names_in(scope: Scope) -> dict[str, str]:
    return {text: key_of(scope, text) for text in TEXTS}


def _nothing(_: Caller) -> None:
    """An empty memory."""


def _facts(ana: Caller) -> None:
    ana.add(facts=["tea", "coffee", "milk"], tags=["drink"])


def _mixed(ana: Caller) -> None:
    """CachedIndex, deleted, merged away, held by another and given up: all that an add can meet."""
    _facts(ana)
    names = names_in(ana.scope)
    ana.update(traceId=names["tea"], content="water")
    ana.delete(traceId=names["coffee"])


def _changed(ana: Caller) -> None:
    _facts(ana)
    ana.update(traceId=names_in(ana.scope)["tea"], content="water")


def _deleted(ana: Caller) -> None:
    _changed(ana)
    ana.delete(traceId=names_in(ana.scope)["tea"])


def _merged(ana: Caller) -> None:
    _facts(ana)
    names = names_in(ana.scope)
    ana.merge(traceIds=[names["tea"], names["coffee"], names["milk"]], mergedContent="juice")


def _merged_twice(ana: Caller) -> None:
    _merged(ana)
    ana.add(facts=["cocoa"])
    names = names_in(ana.scope)
    ana.merge(traceIds=[names["tea"], names["cocoa"]], mergedContent="water")


def _without_vectors(ana: Caller) -> None:
    """Stored while the model was out: the next search makes what is missing, and a segment to keep it in."""
    _facts(Caller(replace(ana.memory, embedder=NoEmbedder()), ana.scope))


def _indexed(ana: Caller) -> None:
    """With a segment of an hour ago."""
    _without_vectors(ana)
    before = FakeClock()
    before.advance(timedelta(hours=-1))
    Caller(replace(ana.memory, now=before.now), ana.scope).search(query="tea")


def _indexed_and_grown(ana: Caller) -> None:
    """With a segment, which the next search replaces."""
    _indexed(ana)
    Caller(replace(ana.memory, embedder=NoEmbedder()), ana.scope).add(facts=["water", "juice"])


def _documents(ana: Caller) -> None:
    ana.memory.personas.write(ana.scope, Document(name="SOUL.md", text="kind", writes=("w",)), None)
    ana.edit(action="add", text="tea")
    ana.edit(action="add", text="coffee")


def _undone(ana: Caller) -> None:
    _documents(ana)
    ana.edit(action="add", text="milk")
    ana.edit(action="undo")


SCENARIOS = [
    Scenario("add new", "add", _facts, lambda _: {"facts": ["juice", "cocoa"], "tags": ["new"]}),
    Scenario("add mixed", "add", _mixed, lambda _: {"facts": ["water", "tea", "coffee", "milk", "juice"]}),
    Scenario("add known", "add", _facts, lambda _: {"facts": ["TEA"]}),
    Scenario("search", "search", _facts, lambda _: {"query": "tea coffee milk"}),
    Scenario("search first segment", "search", _without_vectors, lambda _: {"query": "tea coffee milk"}),
    Scenario("search with a segment", "search", _indexed, lambda _: {"query": "tea coffee milk"}),
    Scenario("search next segment", "search", _indexed_and_grown, lambda _: {"query": "tea coffee milk"}),
    Scenario("list", "list", _facts, lambda _: {"limit": 2}),
    Scenario("list next segment", "list", _indexed_and_grown, lambda _: {"limit": 4}),
    Scenario("read soul", "read", _documents, lambda _: {}),
    Scenario("history of a trace", "history", _deleted, lambda names: {"traceId": names["tea"]}),
    Scenario("history of a document", "history", _documents, lambda _: {"target": "self"}),
    Scenario("edit add first", "edit", _nothing, lambda _: {"action": "add", "text": "tea"}),
    Scenario("edit add", "edit", _documents, lambda _: {"action": "add", "text": "milk"}),
    Scenario(
        "edit replace", "edit", _documents, lambda _: {"action": "replace", "text": "tea", "with": "tea and tea leaves"}
    ),
    Scenario("edit remove", "edit", _documents, lambda _: {"action": "remove", "text": "coffee"}),
    Scenario("edit undo", "edit", _documents, lambda _: {"action": "undo"}, key="k"),
    Scenario("edit undo a version", "edit", _undone, lambda _: {"action": "undo"}, key="k"),
    Scenario("update", "update", _facts, lambda names: {"traceId": names["tea"], "content": "water", "version": 1}),
    Scenario("update tags", "update", _changed, lambda names: {"traceId": names["tea"], "tags": ["hot"]}),
    Scenario("delete", "delete", _changed, lambda names: {"traceId": names["tea"], "reason": "cold"}),
    Scenario("restore deleted", "restore", _deleted, lambda names: {"traceId": names["tea"]}),
    Scenario("restore version", "restore", _changed, lambda names: {"traceId": names["tea"], "version": 1}),
    Scenario("merge", "merge", _changed, lambda names: {"traceIds": [names["coffee"], names["tea"], names["milk"]]}),
    Scenario("unmerge", "unmerge", _merged, lambda names: {"survivorId": names["tea"]}),
    Scenario("unmerge one of two", "unmerge", _merged_twice, lambda names: {"survivorId": names["tea"]}, key="k"),
    Scenario("add with a key", "add", _mixed, lambda _: {"facts": ["tea", "coffee", "milk", "juice"]}, key="k"),
]
