"""What a call costs: AWS calls in sequence, counted at the client, where nobody interferes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools.tools.memory import Memory

from tests.calls import Caller


@pytest.fixture
def ana(moto_memory: Memory, scope: Scope) -> Caller:
    return Caller(moto_memory, scope)


@pytest.fixture
def calls(moto_memory: Memory) -> Iterator[list[str]]:
    """The names of all AWS calls from here on."""
    made: list[str] = []

    def note(model: Any, **_: Any) -> None:
        made.append(model.name)

    clients = [moto_memory.traces._client, moto_memory.personas._client]  # type: ignore[attr-defined]
    for client in clients:
        client.meta.events.register("before-call", note)
    yield made
    for client in clients:
        client.meta.events.unregister("before-call", note)


def counted(calls: list[str], call: Callable[[], Any]) -> list[str]:
    calls.clear()
    call()
    return list(calls)


def test_an_add_takes_one_call_when_all_is_new_and_two_when_not(ana: Caller, calls: list[str]) -> None:
    facts = [f"fact {number}" for number in range(100)]
    assert counted(calls, lambda: ana.add(facts=facts)) == ["TransactWriteItems"]
    assert counted(calls, lambda: ana.add(facts=facts)) == ["TransactWriteItems"]
    assert counted(calls, lambda: ana.add(facts=[*facts[:99], "new"])) == ["TransactWriteItems"] * 2
    assert counted(calls, lambda: ana.add(facts=["", " "])) == []


def test_an_add_of_what_is_deleted_given_up_or_held_elsewhere_takes_two(ana: Caller, calls: list[str]) -> None:
    ids = [one["id"] for one in ana.add(facts=[f"fact {number}" for number in range(6)])["saved"]]
    ana.delete(traceId=ids[0])
    ana.update(traceId=ids[1], content="moved")
    ana.update(traceId=ids[2], content="held")
    ana.delete(traceId=ids[2])
    facts = ["fact 0", "fact 1", "fact 2", "fact 3", "moved", "held", "new"]
    assert counted(calls, lambda: ana.add(facts=facts)) == ["TransactWriteItems"] * 2


def test_many_facts_merged_away_come_back_in_two_calls(ana: Caller, calls: list[str]) -> None:
    facts = [f"fact {number}" for number in range(100)]
    ids = [one["id"] for one in ana.add(facts=facts)["saved"]]
    ana.merge(traceIds=ids[:50], mergedContent="half")
    ana.merge(traceIds=ids[50:], mergedContent="other half")
    reply: dict[str, Any] = {}
    gone = [*facts[1:50], *facts[51:]]
    assert counted(calls, lambda: reply.update(ana.add(facts=gone))) == ["TransactWriteItems"] * 2
    assert reply["message"] == "Saved 98 fact(s) to memory."


def test_edits_merges_updates_and_deletions_take_two(ana: Caller, calls: list[str]) -> None:
    ids = ana.remember("one", "two", "three")
    assert counted(calls, lambda: ana.update(traceId=ids[0], content="1")) == ["BatchGetItem", "TransactWriteItems"]
    assert counted(calls, lambda: ana.delete(traceId=ids[2])) == ["BatchGetItem", "TransactWriteItems"]
    assert counted(calls, lambda: ana.merge(traceIds=ids[:2])) == ["BatchGetItem", "TransactWriteItems"]
    assert counted(calls, lambda: ana.edit(action="add", text="x")) == ["GetObject", "PutObject"]
    assert counted(calls, lambda: ana.edit(action="add", text="x")) == ["GetObject"]
    assert counted(calls, lambda: ana.edit(action="replace", text="x", with_="y")) == ["GetObject", "PutObject"]


def test_a_search_takes_one_read_of_the_changes_and_one_round_for_the_hits(ana: Caller, calls: list[str]) -> None:
    ana.remember("tea one", "tea two", "tea three")
    made = counted(calls, lambda: ana.search(query="tea"))
    assert made == ["Query", "UpdateItem", "UpdateItem", "UpdateItem"]


def test_nothing_ever_scans(ana: Caller, calls: list[str]) -> None:
    ids = ana.remember("one", "two", "three")
    calls.clear()
    ana.search(query="one")
    ana.list()
    ana.history(traceId=ids[0])
    ana.merge(traceIds=ids)
    ana.unmerge(survivorId=ids[0])
    ana.delete(traceId=ids[1])
    ana.restore(traceId=ids[1])
    ana.edit(action="add", text="x")
    ana.edit(action="undo")
    ana.history(target="self")
    ana.read()
    assert set(calls) <= {
        "Query",
        "UpdateItem",
        "BatchGetItem",
        "TransactWriteItems",
        "GetObject",
        "PutObject",
        "ListObjectVersions",
    }
