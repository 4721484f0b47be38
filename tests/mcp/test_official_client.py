"""The official MCP client, over both transports and in every revision."""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from memtools.catalogue import TOOLS
from memtools.wire.mcp.offer import SMALL

from tests.mcp.conftest import CURRENT, OLDER, Connect

each_revision = pytest.mark.parametrize("revision", [CURRENT, *OLDER])


async def call(client: Client, tool: str, **arguments: Any) -> Mapping[str, Any]:
    """The reply, as a program reads it; the text for the model must say the same."""
    result = await client.call_tool(f"memory_{tool}", arguments)
    (content,) = result.content
    assert not result.is_error, content
    assert result.structured_content == json.loads(content.text)  # type: ignore[union-attr]
    return result.structured_content or {}


def keyed(key: Any) -> Any:
    """A request's metadata with an idempotency key."""
    return {"memtools/idempotencyKey": key}


@each_revision
def test_all_tools_answer_in_every_revision(connect: Connect, revision: str) -> None:
    """All twelve tools work for the official client, which checks each reply against the tool's schema."""

    async def talk() -> None:
        async with connect(revision, "full") as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == list(TOOLS)
            added = await call(client, "add", facts=["Ana likes tea", "Ana drinks tea", "Ana has a dog"])
            one, two, three = (item["id"] for item in added["saved"])
            assert (await call(client, "search", query="dog"))["results"][0]["content"] == "Ana has a dog"
            assert len((await call(client, "list"))["results"]) == 3
            await call(client, "duplicates")
            await call(client, "update", traceId=three, content="Ana has two dogs")
            assert len((await call(client, "history", traceId=three))["versions"]) == 2
            await call(client, "delete", traceId=three)
            await call(client, "restore", traceId=three)
            await call(client, "merge", traceIds=[one, two])
            await call(client, "unmerge", survivorId=one)
            await call(client, "edit", action="add", text="Speaks Spanish", target="user")
            assert "Speaks Spanish" in (await call(client, "read"))["text"]

    anyio.run(talk)


@each_revision
def test_a_refused_edit_is_a_result_that_the_model_reads(connect: Connect, revision: str) -> None:
    """An error of a tool has our code and details, and is no failure of the protocol."""

    async def talk() -> None:
        async with connect(revision) as client:
            result = await client.call_tool("memory_edit", {"action": "remove", "text": "not there"})
            assert result.is_error
            assert result.structured_content is None
            error = json.loads(result.content[0].text)  # type: ignore[union-attr]
            assert error["code"] == "not_found"
            assert (result.meta or {})["memtools/error"] == error
            assert set(error) == {"code", "message", "details", "retryable"}

    anyio.run(talk)


@each_revision
def test_resources_are_the_soul_and_the_documents(connect: Connect, revision: str) -> None:
    """A resource has the text that memory_read returns, and an unknown address is refused."""

    async def talk() -> None:
        async with connect(revision) as client:
            await call(client, "edit", action="add", text="Ask first")
            uris = [str(one.uri) for one in (await client.list_resources()).resources]
            assert uris == ["memory://soul", "memory://self", "memory://user"]
            texts = [(await client.read_resource(uri)).contents[0].text for uri in uris]  # type: ignore[union-attr]
            assert texts == ["## MEMORY.md\n\n- Ask first", "- Ask first\n", ""]
            with pytest.raises(MCPError, match="Unknown resource"):
                await client.read_resource("memory://other")

    anyio.run(talk)


def test_the_prompt_tells_how_to_use_the_memory(connect: Connect) -> None:
    """The prompt names each tool of the small profile, and no other."""

    async def talk() -> None:
        async with connect() as client:
            (prompt,) = (await client.list_prompts()).prompts
            (message,) = (await client.get_prompt(prompt.name)).messages
            text = message.content.text  # type: ignore[union-attr]
            assert {name for name in TOOLS if name in text} == set(SMALL)

    anyio.run(talk)


def test_a_profile_neither_lists_nor_calls_other_tools(connect: Connect) -> None:
    async def talk() -> None:
        async with connect() as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == [name for name in TOOLS if name in SMALL]
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("memory_merge", {"traceIds": ["a", "b"]})

    anyio.run(talk)


def test_a_call_with_the_same_key_has_one_effect(connect: Connect) -> None:
    """The idempotency key is in the request's metadata, and one that cannot be used is an error of the tool."""

    async def talk() -> None:
        async with connect() as client:
            edits = ({"action": "add", "text": "a"}, {"action": "replace", "text": "a", "with": "aa"})
            for key, edit in (*enumerate(edits), *enumerate(edits)):
                assert not (await client.call_tool("memory_edit", edit, meta=keyed(f"edit-{key}"))).is_error
            assert (await call(client, "read", target="self"))["text"] == "- aa\n"
            assert (await client.call_tool("memory_add", {"facts": ["x"]}, meta=keyed(["x"]))).is_error
            assert (await call(client, "search", query="x"))["results"] == []

    anyio.run(talk)
