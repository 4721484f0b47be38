"""Strands Agents: the tools in an agent of its own, with a stub for a model."""

import json
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

import pytest
from memtools_client import MemoryClient
from memtools_client.strands_tools import memory_tools
from strands import Agent
from strands.models import Model

from tests.conftest import example

Script = list[tuple[str, dict[str, Any]] | str]


class Scripted(Model):
    """Answers with a script, step by step: a tool and its input, or a text."""

    def __init__(self, script: Script) -> None:
        self.left = list(script)
        self.offered: list[Any] = []

    def update_config(self, **_: Any) -> None:
        """There is none."""

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "stub"}

    def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[dict[str, Any], None]:
        raise NotImplementedError

    async def stream(self, messages: Any, tool_specs: Any = None, *_: Any, **__: Any) -> AsyncIterable[Any]:
        self.offered = tool_specs
        step = self.left.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(step, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": step}}}
        else:
            use = {"toolUseId": f"use-{len(self.left)}", "name": step[0]}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(step[1])}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(step, str) else "tool_use"}}


def _results(agent: Agent) -> list[tuple[str, Any]]:
    """The status of each tool result that the model got, and its text as JSON."""
    blocks: list[Any] = [block for message in agent.messages for block in message["content"] if "toolResult" in block]
    return [(one["toolResult"]["status"], json.loads(one["toolResult"]["content"][0]["text"])) for one in blocks]


STORY: Script = [
    ("memory_add", {"facts": ["Maya takes oat milk in her coffee"]}),
    ("memory_search", {"query": "coffee"}),
    ("memory_edit", {"action": "add", "text": "likes tea"}),
    ("memory_edit", {"action": "add", "text": "likes rain"}),
    ("memory_edit", {"action": "replace", "text": "likes", "with": "loves"}),
    ("memory_edit", {"action": "remove", "text": "coffee"}),
    ("memory_search", {"question": "coffee"}),
    "Done.",
]


def test_a_conversation_with_refused_edits(client: MemoryClient) -> None:
    """A refusal is a tool result of status error, with what the model needs to correct itself."""
    agent = Agent(model=Scripted(STORY), tools=[*memory_tools(client)], callback_handler=None)
    agent("Hello")
    results = _results(agent)
    assert [status for status, _ in results] == ["success"] * 4 + ["error"] * 3
    assert results[1][1]["results"][0]["content"] == "Maya takes oat milk in her coffee"
    codes = [result["code"] for status, result in results if status == "error"]
    assert codes == ["ambiguous", "not_found", "invalid_arguments"]
    assert len(results[4][1]["details"]["occurrences"]) == 2
    assert results[5][1]["details"]["entries"] == ["likes tea", "likes rain"]


def test_each_invocation_names_its_user(client: MemoryClient) -> None:
    """With `user_key` users are kept apart, nobody has no memory, and no tool has a user argument."""
    fact: Script = [("memory_add", {"facts": ["I sail"]}), "Done."]
    look: Script = [("memory_search", {"query": "sail"}), "Done."]
    model = Scripted([*fact, *look, *look, *look])
    agent = Agent(model=model, tools=[*memory_tools(client, user_key="user_id")], callback_handler=None)
    user = client.scope.user
    agent("Hello", invocation_state={"user_id": user})
    agent("Hello", invocation_state={"user_id": user})
    agent("Hello", invocation_state={"user_id": f"not-{user}"})
    agent("Hello")
    _, (_, mine), (_, theirs), (status, refusal) = _results(agent)
    assert len(mine["results"]) == 1
    assert theirs["results"] == []
    assert (status, refusal["code"]) == ("error", "unscoped")
    assert "user_id" not in json.dumps(model.offered)


def test_every_tool_is_offered(client: MemoryClient) -> None:
    """The model gets all tools of the catalogue, with their schemas."""
    model = Scripted(["Done."])
    Agent(model=model, tools=[*memory_tools(client)], callback_handler=None)("Hello")
    assert len(model.offered) == 12
    [search] = [one for one in model.offered if one["name"] == "memory_search"]
    assert search["inputSchema"]["json"]["required"] == ["query"]
    with pytest.raises(ValueError, match="no tool"):
        memory_tools(client, ["memory_forget"])


def test_the_example_of_the_page(client: MemoryClient) -> None:
    """The block on docs/clients.md runs."""
    model = Scripted([("memory_add", {"facts": ["I sail on Sundays"]}), "Done."])
    exec(example("docs/clients.md", "from memtools_client.strands_tools"), {"memory": client, "model": model})
    assert "I sail on Sundays" in [one.content for one in client.for_user("maya").memory_list(limit=100).results]
