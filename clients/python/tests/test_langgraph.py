"""LangGraph: its store over this memory, and the tools in a graph of its own with a stub for a model."""

import asyncio
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from memtools_client import MemoryClient
from memtools_client.langchain_tools import memory_tools
from memtools_client.langgraph_store import DoesNotFit, MemtoolsStore

from tests.conftest import example

_PREFS = ("people", "maya", "prefs")
_WORK = ("people", "maya", "work")


@pytest.fixture
def store(client: MemoryClient) -> MemtoolsStore:
    return MemtoolsStore(client)


def _fill(store: BaseStore) -> None:
    store.put(_PREFS, "drink", {"text": "Maya takes oat milk in her coffee"})
    store.put(_PREFS, "food", {"text": "Maya is allergic to walnuts", "tags": ["health"]})
    store.put(_WORK, "drink", {"text": "Maya orders tea at the office"})
    store.put(("People", "a/b"), "k/%", {"text": "Somebody else altogether"})


def test_it_holds_items_as_langgraphs_own_store_does(store: MemtoolsStore) -> None:
    own = InMemoryStore()
    for one in (store, own):
        _fill(one)
        one.put(_PREFS, "drink", {"text": "Maya takes almond milk"})
        one.delete(_WORK, "never")
    # First, since to LangGraph's store a namespace that was asked for is one.
    for asked in _NAMESPACES:
        assert store.list_namespaces(**asked) == own.list_namespaces(**asked), asked
    places = [(_PREFS, "drink"), (_PREFS, "food"), (_WORK, "drink"), (_WORK, "food"), (("People", "a/b"), "k/%")]
    for namespace, key in [*places, (("people", "maya"), "drink"), (("people", "a/b"), "k/%")]:
        given, wanted = store.get(namespace, key), own.get(namespace, key)
        assert (given and (given.value, given.namespace, given.key)) == (
            wanted and (wanted.value, wanted.namespace, wanted.key)
        )
    for prefix in ((), ("people",), ("people", "maya"), _PREFS, ("people", "m"), ("nobody",)):
        assert _places(store.search(prefix, limit=50)) == _places(own.search(prefix, limit=50))


_NAMESPACES: list[dict[str, Any]] = [
    {},
    {"prefix": ("people",)},
    {"suffix": ("work",)},
    {"prefix": ("people", "*", "prefs")},
    {"prefix": ("people",), "suffix": ("*", "work")},
    {"max_depth": 1},
    {"max_depth": 2, "limit": 1, "offset": 1},
    {"prefix": ("people", "maya", "prefs", "deeper")},
]


def _places(items: list[Any]) -> list[tuple[Any, ...]]:
    return sorted((item.namespace, item.key, item.value["text"]) for item in items)


def test_a_query_finds_by_words_within_its_namespace_best_first(store: MemtoolsStore) -> None:
    _fill(store)
    [found] = store.search(("people",), query="walnuts")
    assert (found.key, found.value) == ("food", {"text": "Maya is allergic to walnuts", "tags": ["health"]})
    assert found.score
    assert store.search(_WORK, query="walnuts") == []
    assert store.search(("people",), query="walnuts", offset=1) == []


def test_pages_of_a_search_without_query_do_not_overlap(store: MemtoolsStore) -> None:
    for number in range(7):
        store.put(("n",), str(number), {"text": f"Number {number}"})
    pages = [store.search(("n",), limit=3, offset=offset) for offset in (0, 3, 6)]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert len({item.key for page in pages for item in page}) == 7


def test_a_deleted_item_is_gone_and_can_be_put_again(store: MemtoolsStore) -> None:
    _fill(store)
    store.delete(_PREFS, "drink")
    assert store.get(_PREFS, "drink") is None
    store.put(_PREFS, "drink", {"text": "Maya takes oat milk in her coffee"})
    assert store.get(_PREFS, "drink")


def test_a_batch_reads_before_it_writes_and_the_last_put_counts(store: MemtoolsStore) -> None:
    _fill(store)
    ops: list[Op] = [
        PutOp(_PREFS, "drink", {"text": "first"}),
        GetOp(_PREFS, "drink"),
        PutOp(_PREFS, "drink", {"text": "second"}),
        SearchOp(_WORK),
    ]
    put, got, again, found = asyncio.run(store.abatch(ops))
    assert (put, again) == (None, None)
    assert isinstance(got, Item)
    assert got.value == {"text": "Maya takes oat milk in her coffee"}
    assert isinstance(found, list)
    assert len(found) == 1
    item = store.get(_PREFS, "drink")
    assert item
    assert item.value == {"text": "second"}


def test_what_the_agent_remembered_by_itself_becomes_the_item(store: MemtoolsStore, client: MemoryClient) -> None:
    client.memory_add(["Maya sails"], tags=["sport"])
    assert store.search(()) == []
    store.put(("facts",), "boat", {"text": "Maya sails"})
    item = store.get(("facts",), "boat")
    assert item
    assert item.value == {"text": "Maya sails", "tags": ["sport"]}
    assert len(client.memory_list().results) == 1


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"text": 7},
        {"text": " "},
        {"text": "x", "mood": "good"},
        {"content": "x"},
        {"text": "x", "tags": ["in:side"]},
        {"text": "x", "tags": [" x"]},
        {"text": "x", "tags": "x"},
        {"text": "x", "tags": ["y", "y"]},
    ],
)
def test_a_value_that_no_trace_can_hold_is_refused_and_the_batch_with_it(
    store: MemtoolsStore, value: dict[str, Any]
) -> None:
    with pytest.raises(DoesNotFit):
        store.batch([PutOp(("a",), "good", {"text": "fits"}), PutOp(("a",), "bad", value)])
    assert store.search(()) == []


def test_what_else_does_not_fit_is_refused(store: MemtoolsStore) -> None:
    store.put(("a",), "k", {"text": "The same"})
    with pytest.raises(DoesNotFit, match="holds a fact once"):
        store.put(("b",), "k", {"text": "the  SAME"})
    with pytest.raises(DoesNotFit, match="longer"):
        store.put(("a" * 100,), "k", {"text": "x"})
    with pytest.raises(DoesNotFit, match="longer"):
        store.get(("a",), "k" * 100)
    with pytest.raises(DoesNotFit, match="filter"):
        store.search(("a",), filter={"text": "The same"})
    with pytest.raises(DoesNotFit, match="narrower"):
        store.search(("a",), query="same", limit=101)
    with pytest.raises(DoesNotFit, match="indexed"):
        store.put(("a",), "k", {"text": "x"}, index=False)
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("a",), "k", {"text": "x"}, ttl=5)


def test_another_user_has_another_store(store: MemtoolsStore, client: MemoryClient) -> None:
    _fill(store)
    assert MemtoolsStore(client.for_user("somebody")).search(()) == []


def _calls(number: int, tool: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": f"call_{number}"}])


SCRIPT = [
    _calls(1, "memory_edit", action="add", text="Maya likes tea", target="user"),
    _calls(2, "memory_edit", action="add", text="Maya likes rain", target="user"),
    _calls(3, "memory_edit", action="remove", text="Maya likes", target="user"),
    _calls(4, "memory_edit", action="remove", text="coffee", target="user"),
    _calls(5, "memory_search", query="tea", limit=2),
    AIMessage("Done."),
]


def test_a_graph_with_refused_edits_and_a_store(client: MemoryClient) -> None:
    left = iter(SCRIPT)

    def model(state: MessagesState, *, store: BaseStore) -> dict[str, list[AnyMessage]]:
        store.put(("turns",), "last", {"text": "The last turn was here"})
        return {"messages": [next(left)]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", ToolNode(memory_tools(client)))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    store = MemtoolsStore(client)
    told = builder.compile(store=store).invoke({"messages": [HumanMessage("Hello")]})
    results = [one for one in told["messages"] if isinstance(one, ToolMessage)]
    assert [one.status for one in results] == ["success", "success", "error", "error", "success"]
    ambiguous, absent = (json.loads(str(one.content)) for one in results[2:4])
    assert (ambiguous["code"], len(ambiguous["details"]["occurrences"])) == ("ambiguous", 2)
    assert (absent["code"], absent["details"]["entries"]) == ("not_found", ["Maya likes tea", "Maya likes rain"])
    assert json.loads(str(results[4].content))["results"] == []
    assert store.get(("turns",), "last")


def test_only_the_tools_that_are_named(client: MemoryClient) -> None:
    assert [tool.name for tool in memory_tools(client, ["memory_search"])] == ["memory_search"]
    with pytest.raises(ValueError, match="no tool memory_forget"):
        memory_tools(client, ["memory_forget"])


def test_the_example_of_the_page(client: MemoryClient) -> None:
    builder = StateGraph(MessagesState)
    there: dict[str, Any] = {"memory": client, "builder": builder}
    builder.add_edge(START, "tools")
    exec(example("docs/clients.md", "from langgraph"), there)
    assert [item.key for item in there["found"]] == ["drink"]
    asked = {"messages": [_calls(1, "memory_search", query="coffee")]}
    told = there["graph"].invoke(asked)["messages"][-1]
    assert "oat milk" in told.content
