"""That what a client is shown against what it was told before, or against what is there, is seen."""

from dataclasses import replace
from typing import Any

import pytest
from memtools.domain.document import Document

from tests.load.witness import Witness, shown
from tests.races.state import Kind, State
from tests.races.workers import Call, Told


def told(tool: str, reply: dict[str, Any], **arguments: Any) -> Told:
    return Told(Call(tool, arguments), reply=reply)


def fact(name: str, version: int, content: str = "") -> dict[str, Any]:
    return {"id": name, "version": version, "content": content or name}


ADDED = told("add", {"saved": [{"id": "a", "content": "a"}, {"id": "b", "content": "b"}], "duplicates": []})
UPDATED = told("update", {"updated": True, "trace": fact("a", 2)}, trace_id="a")
DELETED = told("delete", {"deleted": True, "id": "a"}, trace_id="a")
MERGED = told("merge", {"survivorId": "b", "deletedIds": ["a"], "trace": fact("b", 2, "both")}, trace_ids=["b", "a"])
RESTORED = told("restore", {"restored": True, "trace": fact("a", 3)}, trace_id="a")
UNMERGED = told("unmerge", {"restoredIds": ["a"], "trace": fact("b", 3)}, survivor_id="b")


def listed(*facts: dict[str, Any], limit: int = 20) -> Told:
    return told("list", {"results": [*facts]}, limit=limit)


def contradictions(*course: Told) -> int:
    return len(list(Witness(alone=True).hear(course)))


@pytest.mark.parametrize(
    "course",
    [
        (ADDED, listed(fact("b", 1), fact("a", 1))),
        (ADDED, listed(fact("b", 1), limit=1)),
        (ADDED, DELETED, listed(fact("b", 1)), RESTORED, listed(fact("b", 1), fact("a", 3))),
        (ADDED, MERGED, listed(fact("b", 2, "both")), UNMERGED, listed(fact("b", 3), fact("a", 3))),
    ],
)
def test_what_follows_from_what_was_told_is_fine(course: tuple[Told, ...]) -> None:
    assert contradictions(*course) == 0


@pytest.mark.parametrize(
    "course",
    [
        (ADDED, UPDATED, told("search", {"results": [fact("a", 1)]})),
        (ADDED, UPDATED, told("history", {"versions": [fact("a", 1)]}, trace_id="a")),
        (ADDED, DELETED, told("search", {"results": [fact("a", 2)]})),
        (ADDED, MERGED, told("duplicates", {"groups": [{"traces": [fact("a", 2), fact("b", 2)]}]})),
        (ADDED, listed(fact("b", 1))),
        (ADDED, listed(fact("a", 1), fact("b", 1))),
        (told("update", {"updated": True, "trace": fact("a", 4)}, trace_id="a", version=2),),
        (ADDED, DELETED, told("restore", {"restored": True, "trace": fact("a", 3, "other")}, trace_id="a")),
        (ADDED, MERGED, told("unmerge", {"restoredIds": ["a"], "trace": fact("b", 3, "both")}, survivor_id="b")),
    ],
)
def test_what_contradicts_it_is_seen(course: tuple[Told, ...]) -> None:
    assert contradictions(*course) == 1


@pytest.mark.parametrize(
    "reading",
    [
        told("search", {"results": [fact("a", 1)]}),
        told("history", {"versions": [fact("a", 1)]}, trace_id="a"),
        told("history", {"versions": [{"version": "v", "content": "x"}]}, target="self"),
        told("duplicates", {"groups": [{"traces": [fact("a", 1)]}]}),
        told("read", {"version": "v", "text": "x"}, target="self"),
    ],
)
def test_what_was_never_there_is_seen(reading: Told) -> None:
    assert [one.kind for one in shown([reading], State({}, []))] == [Kind.LOST]


@pytest.mark.parametrize(("replaced", "fine"), [("v1", True), ("v2", False)])
def test_an_edit_of_another_version_than_it_named_is_seen(replaced: str, fine: bool) -> None:
    first, second, third = (Document(name="MEMORY.md", text=text, version=f"v{text}") for text in "123")
    edit = Told(Call("edit", {"version": "v1"}, mark="3"), reply={"version": "v3", "text": "3"})
    state = State({}, [first, second, replace(third, replaces=replaced)])
    assert [one.kind for one in shown([edit], state)] == [Kind.UNTRUE] * (not fine)
