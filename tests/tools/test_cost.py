"""What a call costs: AWS calls in sequence, counted at the client, where nobody interferes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.embedding.none import NoEmbedder

from tests.calls import Caller
from tests.fakes import FakeClock


@pytest.fixture
def ana(moto_memory: Backend, scope: Scope) -> Caller:
    return Caller(moto_memory, scope)


@pytest.fixture
def calls(moto_memory: Backend) -> Iterator[list[str]]:
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


def test_an_add_takes_one_call_or_two_with_known_facts(ana: Caller, calls: list[str]) -> None:
    facts = [f"fact {number}" for number in range(100)]
    assert counted(calls, lambda: ana.add(facts=facts)) == ["TransactWriteItems"]
    assert counted(calls, lambda: ana.add(facts=facts)) == ["TransactWriteItems"]
    assert counted(calls, lambda: ana.add(facts=[*facts[:99], "new"])) == ["TransactWriteItems"] * 2
    assert counted(calls, lambda: ana.add(facts=["", " "])) == []


def test_an_add_takes_two_calls_for_tombstones_and_claimed_texts(ana: Caller, calls: list[str]) -> None:
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


def test_a_key_costs_no_call_more(ana: Caller, calls: list[str]) -> None:
    ids = ana.remember("one", "two", "three")
    sent = ana.keyed("k")
    written = ["BatchGetItem", "TransactWriteItems"]
    assert counted(calls, lambda: sent.add(facts=["new", "newer"])) == ["TransactWriteItems"]
    assert counted(calls, lambda: ana.keyed("k2").add(facts=["one", "newest"])) == ["TransactWriteItems"] * 2
    assert counted(calls, lambda: sent.update(traceId=ids[0], content="1")) == written
    assert counted(calls, lambda: sent.merge(traceIds=ids[1:])) == written
    assert counted(calls, lambda: sent.edit(action="add", text="x")) == ["GetObject", "PutObject"]


def test_a_call_sent_again_costs_what_finds_it(ana: Caller, calls: list[str]) -> None:
    """A read, and where others have written since, one more."""
    (trace,) = ana.remember("one")
    sent = ana.keyed("k")
    sent.update(traceId=trace, content="1")
    sent.edit(action="add", text="x")
    sent.add(facts=["new"])
    assert counted(calls, lambda: sent.update(traceId=trace, content="1")) == ["BatchGetItem"]
    assert counted(calls, lambda: sent.edit(action="add", text="x")) == ["GetObject"]
    assert counted(calls, lambda: sent.add(facts=["new"])) == ["TransactWriteItems"]
    ana.update(traceId=trace, content="2")
    ana.edit(action="add", text="y")
    assert counted(calls, lambda: sent.update(traceId=trace, content="1")) == ["BatchGetItem", "Query"]
    made = counted(calls, lambda: sent.edit(action="add", text="x"))
    assert made == ["GetObject", "ListObjectVersions", "GetObject", "GetObject"]


def test_an_undo_reads_two_versions(ana: Caller, calls: list[str]) -> None:
    for text in "abc":
        ana.edit(action="add", text=text)
    for _ in range(2):
        assert counted(calls, lambda: ana.edit(action="undo")) == ["GetObject", "GetObject", "PutObject"]
    assert counted(calls, lambda: ana.edit(action="undo")) == ["GetObject", "PutObject"]


def anew(ana: Caller) -> Caller:
    """The same caller in a process just started."""
    return Caller(replace(ana.memory), ana.scope)


def test_a_search_takes_one_read_and_one_round_for_hits(ana: Caller, calls: list[str]) -> None:
    ana.remember("tea one", "tea two", "tea three")
    ana.search(query="coffee")
    made = counted(calls, lambda: ana.search(query="tea"))
    assert made == ["Query", "UpdateItem", "UpdateItem", "UpdateItem"]


def test_the_first_search_of_a_process_also_looks_for_the_segment(ana: Caller, calls: list[str]) -> None:
    ana.remember("tea one", "tea two", "tea three")
    for _ in range(2):
        made = counted(calls, lambda: anew(ana).search(query="tea"))
        assert made == ["GetObject", "Query", "UpdateItem", "UpdateItem", "UpdateItem"]


def test_a_list_takes_one_read_of_changes_and_one_of_the_page(ana: Caller, calls: list[str]) -> None:
    ana.remember("tea one", "tea two", "tea three")
    assert counted(calls, lambda: anew(ana).list()) == ["GetObject", "Query", "BatchGetItem"]
    assert counted(calls, ana.list) == ["GetObject", "Query", "BatchGetItem"]
    assert counted(calls, ana.list) == ["Query", "BatchGetItem"]


def test_a_search_that_finds_nothing_relevant_writes_nothing(ana: Caller, calls: list[str]) -> None:
    assert counted(calls, lambda: ana.search(query="zebra")) == ["GetObject", "Query"]
    ana.remember("tea one", "tea two", "tea three")
    assert counted(calls, lambda: ana.search(query="zebra")) == ["Query"]
    assert counted(calls, lambda: ana.search(query="tea", tags=["none such"])) == ["Query"]


def test_a_search_costs_the_same_in_any_size_of_scope(ana: Caller, calls: list[str], clock: FakeClock) -> None:
    """The search that finds the changes too many writes a segment; after that, cold or warm, nobody pays for them."""

    def sizes_of(caller: Caller) -> tuple[list[str], list[str]]:
        return counted(calls, lambda: anew(caller).search(query="tea", limit=3)), counted(
            calls, lambda: caller.search(query="tea", limit=3)
        )

    ana.add(facts=[f"tea {number}" for number in range(10)])
    ana.search(query="coffee")
    small = sizes_of(ana)
    ben = Caller(ana.memory, Scope(ana.scope.agent, "ben"))
    for hundred in range(6):
        ben.add(facts=[f"tea {hundred} {number}" for number in range(100)])
    clock.advance(timedelta(minutes=5))
    assert counted(calls, lambda: ben.search(query="zebra")) == ["GetObject", "Query", "PutObject"]
    large = sizes_of(ben)
    assert large == small
    assert small == (["GetObject", "Query", *["UpdateItem"] * 3], ["Query", *["UpdateItem"] * 3])


def test_traces_without_a_vector_cost_one_read_more_once_and_a_segment(ana: Caller, calls: list[str]) -> None:
    """Stored while the model was out."""
    Caller(replace(ana.memory, embedder=NoEmbedder()), ana.scope).remember("tea one", "tea two")
    made = counted(calls, lambda: ana.search(query="tea"))
    assert made == ["GetObject", "Query", "BatchGetItem", "UpdateItem", "UpdateItem", "PutObject"]
    assert counted(calls, lambda: ana.search(query="tea")) == ["Query", "UpdateItem", "UpdateItem"]
    cold = counted(calls, lambda: anew(ana).search(query="tea"))
    assert cold == ["GetObject", "Query", "UpdateItem", "UpdateItem"]


def test_purged_traces_cost_only_one_search(ana: Caller, moto_memory: Backend, calls: list[str]) -> None:
    """Erased without tombstones, as when its owner has a whole scope removed."""
    from memtools.adapters.table.traces import trace_key

    ids = ana.remember("tea one", "tea two", "tea three")
    ana.search(query="tea")
    traces: Any = moto_memory.traces
    for trace in ids:
        traces._client.delete_item(TableName=traces._table, Key=trace_key(ana.scope, trace))
    assert counted(calls, lambda: ana.search(query="tea")) == ["Query", *["UpdateItem"] * 3]
    assert counted(calls, lambda: ana.search(query="tea")) == ["Query"]
