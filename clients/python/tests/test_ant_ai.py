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

Said = tuple[str, dict[str, Any]] | str


class Scripted(ChatLLM):
    """Says what a test says, one after the other: a tool and its arguments, or a text."""

    model = "stub"
    api_key = None
    api_base = None

    def __init__(self, *script: Said) -> None:
        self.left = list(script)
        self.offered: Any = []

    def invoke(self, *_: Any, **__: Any) -> ChatLLMResponse:
        raise NotImplementedError

    async def ainvoke(self, messages: list[BaseMessage], *, tools: Any = None, **_: Any) -> ChatLLMResponse:
        self.offered = tools
        said = self.left.pop(0)
        if isinstance(said, str):
            return ChatLLMResponse(message=Message(role="assistant", content=said), finish_reason="stop")
        function = ToolFunction(name=said[0], arguments=json.dumps(said[1]))
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


def _talk(memory: MemtoolsMemory, user: str | None, *script: Said) -> tuple[list[tuple[str, bool]], Any]:
    """What each tool answered, and whether as an error; and the tools the model was offered."""
    llm = Scripted(*script, "Done.")
    agent = Agent(name="helper", system_prompt="Help.", llm=llm, memory=memory)
    state = State(messages=[Message(role="user", content="Hello")])
    assert asyncio.run(agent.ainvoke(state, ctx=_context(user))) == "Done."
    results = [one for one in state.messages if isinstance(one, ToolCallResultMessage)]
    return [(one.content or "", one.is_error) for one in results], llm.offered


def test_an_agent_remembers_and_finds(memory: MemtoolsMemory, client: MemoryClient, user: str) -> None:
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


def test_the_model_is_offered_two_tools_that_do_not_speak_of_users(memory: MemtoolsMemory, user: str) -> None:
    _, offered = _talk(memory, user)
    told = [one if isinstance(one, dict) else one.model_dump() for one in offered]
    named = {one["function"]["name"]: one["function"] for one in told}
    assert set(named) == {"MemtoolsMemory_search", "MemtoolsMemory_add"}
    assert list(named["MemtoolsMemory_search"]["parameters"]["properties"]) == ["query"]
    assert list(named["MemtoolsMemory_add"]["parameters"]["properties"]) == ["facts"]
    assert named["MemtoolsMemory_add"]["description"].startswith("Persist one or more durable facts")


def test_what_is_refused_is_an_error_to_the_model(memory: MemtoolsMemory, user: str) -> None:
    [(told, error)], _ = _talk(memory, user, ("MemtoolsMemory_add", {"facts": ["x" * 70_000]}))
    assert error
    assert told.startswith("ERROR: Text 1 in `facts` has 70000 bytes")


def test_users_are_kept_apart_and_nobody_has_no_memory(memory: MemtoolsMemory, user: str) -> None:
    look = ("MemtoolsMemory_search", {"query": "sails"})
    _talk(memory, user, ("MemtoolsMemory_add", {"facts": ["Maya sails"]}))
    assert _talk(memory, user, look)[0] == [('["Maya sails"]', False)]
    assert _talk(memory, f"not-{user}", look)[0] == [("[]", False)]
    [(told, error)], _ = _talk(memory, None, look)
    assert error
    assert told.startswith("ERROR: No user is known")


def test_a_program_may_ask_it_too(memory: MemtoolsMemory, user: str) -> None:
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
    local = AsyncMemoryClient.local(os.environ["MEMTOOLS_URL"], agent="helper")
    monkeypatch.setattr(AsyncMemoryClient, "signed", lambda *_, **__: local)
    llm = Scripted(("MemtoolsMemory_add", {"facts": ["Maya takes oat milk"]}), "Done.")
    there: dict[str, Any] = {"api_url": "https://example.com", "llm": llm}
    asyncio.run(eval(example("docs/clients.md", "from ant_ai"), there))
    assert there["answer"] == "Done."
    assert "Maya takes oat milk" in [one.content for one in client.for_user("maya").memory_list(limit=100).results]
