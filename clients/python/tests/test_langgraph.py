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


def test_items_are_held_as_in_langgraphs_own_store(store: MemtoolsStore) -> None:
    """Namespaces, items and searches without a query are those of InMemoryStore."""
    own = InMemoryStore()
    for one in (store, own):
        _fill(one)
        one.put(_PREFS, "drink", {"text": "Maya takes almond milk"})
        one.delete(_WORK, "never")
    # First, since reading a namespace of InMemoryStore creates it.
    for query in _NAMESPACE_QUERIES:
        assert store.list_namespaces(**query) == own.list_namespaces(**query), query
    places = [(_PREFS, "drink"), (_PREFS, "food"), (_WORK, "drink"), (_WORK, "food"), (("People", "a/b"), "k/%")]
    for namespace, key in [*places, (("people", "maya"), "drink"), (("people", "a/b"), "k/%")]:
        given, wanted = store.get(namespace, key), own.get(namespace, key)
        assert (given and (given.value, given.namespace, given.key)) == (
            wanted and (wanted.value, wanted.namespace, wanted.key)
        )
    for prefix in ((), ("people",), ("people", "maya"), _PREFS, ("people", "m"), ("nobody",)):
        assert _places(store.search(prefix, limit=50)) == _places(own.search(prefix, limit=50))


_NAMESPACE_QUERIES: list[dict[str, Any]] = [
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


def test_a_query_finds_items_of_its_namespace(store: MemtoolsStore) -> None:
    """Hits have a score, and namespaces beside it have none."""
    _fill(store)
    [found] = store.search(("people",), query="walnuts")
    assert (found.key, found.value) == ("food", {"text": "Maya is allergic to walnuts", "tags": ["health"]})
    assert found.score
    assert store.search(_WORK, query="walnuts") == []
    assert store.search(("people",), query="walnuts", offset=1) == []


def test_pages_of_a_search_do_not_overlap(store: MemtoolsStore) -> None:
    """Without a query `limit` and `offset` page through all items."""
    for number in range(7):
        store.put(("n",), str(number), {"text": f"Number {number}"})
    pages = [store.search(("n",), limit=3, offset=offset) for offset in (0, 3, 6)]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert len({item.key for page in pages for item in page}) == 7


def test_a_deleted_item_can_be_put_again(store: MemtoolsStore) -> None:
    """Deleting takes it away at once, and nothing is left in the way."""
    _fill(store)
    store.delete(_PREFS, "drink")
    assert store.get(_PREFS, "drink") is None
    store.put(_PREFS, "drink", {"text": "Maya takes oat milk in her coffee"})
    assert store.get(_PREFS, "drink")


def test_a_batch_reads_before_it_writes(store: MemtoolsStore) -> None:
    """Of several puts of one item the last counts."""
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


def test_a_known_fact_becomes_the_item(store: MemtoolsStore, client: MemoryClient) -> None:
    """What the agent remembered by itself is not stored twice and keeps its tags."""
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
def test_a_value_that_does_not_fit_refuses_the_batch(store: MemtoolsStore, value: dict[str, Any]) -> None:
    """A batch with a value that no trace can hold writes nothing."""
    with pytest.raises(DoesNotFit):
        store.batch([PutOp(("a",), "good", {"text": "fits"}), PutOp(("a",), "bad", value)])
    assert store.search(()) == []


def test_what_else_does_not_fit_is_refused(store: MemtoolsStore) -> None:
    """Each refusal says what is in the way."""
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
    """Namespaces are within the memory of one user."""
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
    """A refusal is a ToolMessage of status error, and nodes can use the store."""
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
    final = builder.compile(store=store).invoke({"messages": [HumanMessage("Hello")]})
    results = [message for message in final["messages"] if isinstance(message, ToolMessage)]
    assert [result.status for result in results] == ["success", "success", "error", "error", "success"]
    ambiguous, absent = (json.loads(str(result.content)) for result in results[2:4])
    assert (ambiguous["code"], len(ambiguous["details"]["occurrences"])) == ("ambiguous", 2)
    assert (absent["code"], absent["details"]["entries"]) == ("not_found", ["Maya likes tea", "Maya likes rain"])
    assert json.loads(str(results[4].content))["results"] == []
    assert store.get(("turns",), "last")


def test_only_selects_tools(client: MemoryClient) -> None:
    """`only` names the tools an agent gets; an unknown name is an error."""
    assert [tool.name for tool in memory_tools(client, ["memory_search"])] == ["memory_search"]
    with pytest.raises(ValueError, match="no tool memory_forget"):
        memory_tools(client, ["memory_forget"])


def test_the_example_of_the_page(client: MemoryClient) -> None:
    """The block on docs/clients.md runs."""
    builder = StateGraph(MessagesState)
    there: dict[str, Any] = {"memory": client, "builder": builder}
    builder.add_edge(START, "tools")
    exec(example("docs/clients.md", "from langgraph"), there)
    assert [item.key for item in there["found"]] == ["drink"]
    final = there["graph"].invoke({"messages": [_calls(1, "memory_search", query="coffee")]})
    assert "oat milk" in final["messages"][-1].content
