"""ant-ai: the memory in an agent of its own, with a stub for a model. It needs another environment than the rest."""

import asyncio
import json
import os
from typing import Any

import pytest
from ant_ai import Agent, ChatLLMResponse, InvocationContext, Message, State
from ant_ai.core.message import BaseMessage, ToolCall, ToolCallResultMessage, ToolFunction
from ant_ai.llm.protocol import ChatLLM
from ant_ai.memory import Memory
from ant_ai.tools import ToolError
from memtools_client import AsyncMemoryClient, MemoryClient
from memtools_client.ant_ai_memory import MemtoolsMemory

from tests.conftest import example

Step = tuple[str, dict[str, Any]] | str


class Scripted(ChatLLM):
    """Answers with a script, step by step: a tool and its arguments, or a text."""

    model = "stub"
    api_key = None
    api_base = None

    def __init__(self, *script: Step) -> None:
        self.left = list(script)
        self.offered: Any = []

    def invoke(self, *_: Any, **__: Any) -> ChatLLMResponse:
        raise NotImplementedError

    async def ainvoke(self, messages: list[BaseMessage], *, tools: Any = None, **_: Any) -> ChatLLMResponse:
        self.offered = tools
        step = self.left.pop(0)
        if isinstance(step, str):
            return ChatLLMResponse(message=Message(role="assistant", content=step), finish_reason="stop")
        function = ToolFunction(name=step[0], arguments=json.dumps(step[1]))
        call = ToolCall(id=f"call-{len(self.left)}", function=function)
        empty = Message(role="assistant", content="")
        return ChatLLMResponse(message=empty, tool_calls=[call], finish_reason="tool_calls")


@pytest.fixture
def memory() -> MemtoolsMemory:
    return MemtoolsMemory(client=AsyncMemoryClient.local(os.environ["MEMTOOLS_URL"], agent="helper"))


@pytest.fixture
def user(client: MemoryClient) -> str:
    return str(client.scope.user)


def _context(user: str | None) -> InvocationContext:
    return InvocationContext(session_id="session", user_id=user)


def _talk(memory: MemtoolsMemory, user: str | None, *script: Step) -> tuple[list[tuple[str, bool]], Any]:
    """The text of each tool result and whether it is an error; and the tools that the model was offered."""
    llm = Scripted(*script, "Done.")
    agent = Agent(name="helper", system_prompt="Help.", llm=llm, memory=memory)
    state = State(messages=[Message(role="user", content="Hello")])
    assert asyncio.run(agent.ainvoke(state, ctx=_context(user))) == "Done."
    results = [one for one in state.messages if isinstance(one, ToolCallResultMessage)]
    return [(one.content or "", one.is_error) for one in results], llm.offered


def test_an_agent_remembers_and_finds(memory: MemtoolsMemory, client: MemoryClient, user: str) -> None:
    """Blank facts are dropped, and a search that finds nothing is an empty list."""
    results, _ = _talk(
        memory,
        user,
        ("MemtoolsMemory_add", {"facts": ["Maya takes oat milk in her coffee", " ", "Maya sails"]}),
        ("MemtoolsMemory_add", {"facts": []}),
        ("MemtoolsMemory_add", {"facts": ["", "\n"]}),
        ("MemtoolsMemory_search", {"query": "coffee"}),
        ("MemtoolsMemory_search", {"query": "walnuts"}),
    )
    assert results == [
        ("Saved 2 fact(s) to memory.", False),
        ("Nothing to save.", False),
        ("Nothing to save.", False),
        ('["Maya takes oat milk in her coffee"]', False),
        ("[]", False),
    ]
    assert len(client.memory_list().results) == 2


def test_the_model_reads_what_was_stored(memory: MemtoolsMemory, client: MemoryClient, user: str) -> None:
    """Adding a known fact stores nothing, and more facts than a call takes are counted call by call."""
    client.memory_add(["Maya sails"])
    many = [f"Fact number {number}" for number in range(120)]
    results, _ = _talk(
        memory,
        user,
        ("MemtoolsMemory_add", {"facts": ["Maya sails"]}),
        ("MemtoolsMemory_add", {"facts": ["Maya sails", "Maya rows"]}),
        ("MemtoolsMemory_add", {"facts": many}),
    )
    assert [text for text, _ in results] == [
        "Saved 0 fact(s) to memory.",
        "Saved 1 fact(s) to memory.",
        "Saved 100 fact(s) to memory. Saved 20 fact(s) to memory.",
    ]


def test_no_tool_has_a_user_argument(memory: MemtoolsMemory, user: str) -> None:
    """The model is offered two tools, with the framework's descriptions."""
    _, offered = _talk(memory, user)
    specs = [tool if isinstance(tool, dict) else tool.model_dump() for tool in offered]
    functions = {spec["function"]["name"]: spec["function"] for spec in specs}
    assert set(functions) == {"MemtoolsMemory_search", "MemtoolsMemory_add"}
    assert list(functions["MemtoolsMemory_search"]["parameters"]["properties"]) == ["query"]
    assert list(functions["MemtoolsMemory_add"]["parameters"]["properties"]) == ["facts"]
    assert functions["MemtoolsMemory_add"]["description"].startswith("Persist one or more durable facts")


def test_a_refusal_is_an_error_to_the_model(memory: MemtoolsMemory, user: str) -> None:
    """The model reads the service's message."""
    [(text, error)], _ = _talk(memory, user, ("MemtoolsMemory_add", {"facts": ["x" * 70_000]}))
    assert error
    assert text.startswith("ERROR: Text 1 in `facts` has 70000 bytes")


def test_users_are_kept_apart(memory: MemtoolsMemory, user: str) -> None:
    """Each sees their own memory, and a context without a user has none."""
    look = ("MemtoolsMemory_search", {"query": "sails"})
    _talk(memory, user, ("MemtoolsMemory_add", {"facts": ["Maya sails"]}))
    assert _talk(memory, user, look)[0] == [('["Maya sails"]', False)]
    assert _talk(memory, f"not-{user}", look)[0] == [("[]", False)]
    [(text, error)], _ = _talk(memory, None, look)
    assert error
    assert text.startswith("ERROR: No user is known")


def test_programs_can_use_it_without_an_agent(memory: MemtoolsMemory, user: str) -> None:
    """`update` takes any number of messages, and `retrieve` keeps to `top_k`."""

    async def story() -> None:
        messages: list[BaseMessage] = [Message(role="user", content=f"Fact number {number}") for number in range(120)]
        await memory.update([*messages, Message(role="user"), Message(role="user", content=" ")], user_id=user)
        assert len(await memory.retrieve("fact number", top_k=3, user_id=user)) == 3
        assert len(await memory.retrieve("fact number", ctx=_context(user))) == 5
        assert await memory.retrieve(" ", user_id=user) == []
        with pytest.raises(ToolError):
            await memory.retrieve("fact")

    assert isinstance(memory, Memory)
    asyncio.run(story())


def test_the_example_of_the_page(memory: MemtoolsMemory, client: MemoryClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block on docs/clients.md runs."""
    local = AsyncMemoryClient.local(os.environ["MEMTOOLS_URL"], agent="helper")
    monkeypatch.setattr(AsyncMemoryClient, "signed", lambda *_, **__: local)
    llm = Scripted(("MemtoolsMemory_add", {"facts": ["Maya takes oat milk"]}), "Done.")
    there: dict[str, Any] = {"api_url": "https://example.com", "llm": llm}
    asyncio.run(eval(example("docs/clients.md", "from ant_ai"), there))
    assert there["answer"] == "Done."
    assert "Maya takes oat milk" in [one.content for one in client.for_user("maya").memory_list(limit=100).results]
