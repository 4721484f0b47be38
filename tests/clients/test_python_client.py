"""Every tool through the Python client, against the service of this machine."""

import asyncio
import json
from dataclasses import asdict
from datetime import UTC, datetime
from inspect import getdoc, iscoroutinefunction, signature
from typing import Any

import pytest
from memtools.catalogue import TOOLS
from memtools_client import (
    Ambiguous,
    AsyncMemoryClient,
    Conflict,
    InvalidArguments,
    MemoryClient,
    NotFound,
    TooLarge,
    Unscoped,
    replies,
)

from local.service import Service
from local.template import ROOT

_NOBODY = "mt_" + "0" * 32


def test_a_fact_from_adding_to_restoring(ana: MemoryClient) -> None:
    """Typed arguments and replies of the tools that find and change one trace."""
    [saved] = ana.memory_add(
        ["Ana keeps two hives"], tags=["garden"], occurred_at=datetime(2026, 5, 1, tzinfo=UTC)
    ).saved
    [hit] = ana.memory_search("hives", limit=3, explain=True).results
    assert (hit.id, hit.tags, hit.occurred_at) == (saved.id, ["garden"], datetime(2026, 5, 1, tzinfo=UTC))
    assert hit.explanation is not None
    updated = ana.memory_update(saved.id, content="Ana keeps three hives", tags=[], version=hit.version)
    assert (updated.trace.content, updated.trace.tags) == ("Ana keeps three hives", [])
    assert ana.memory_delete(saved.id, reason="sold").deleted
    assert ana.memory_list().results == []
    assert ana.memory_restore(saved.id).trace.content == "Ana keeps three hives"
    assert [one.change for one in ana.memory_history(trace_id=saved.id).versions][-1] == "added"


def test_merge_and_unmerge(ana: MemoryClient) -> None:
    """Duplicates are found, merged, and apart again."""
    ids = [one.id for one in ana.memory_add(["Ana runs a bakery", "Ana runs a small bakery"]).saved]
    assert ana.memory_duplicates(threshold=0.1).groups is not None
    merged = ana.memory_merge(ids, merged_content="Ana runs a small bakery in Porto")
    assert merged.trace.merged_from is not None
    assert ana.memory_unmerge(merged.survivor_id).restored_ids != []
    assert {one.id for one in ana.memory_list(limit=10).results} == set(ids)


def test_a_document_is_edited_and_read(ana: MemoryClient) -> None:
    """An empty `with_` is sent, since it is not None."""
    edited = ana.memory_edit("add", text="Speaks Portuguese", target="user")
    assert ana.memory_read(target="user").text == edited.text == "- Speaks Portuguese\n"
    replaced = ana.memory_edit("replace", text="Portuguese", with_="", target="user", version=edited.version)
    assert replaced.text == "- Speaks \n"


def test_pages_follow_their_cursor(ana: MemoryClient) -> None:
    """Two pages hold all memories, and the last has no cursor."""
    ana.memory_add([f"Fact number {number}" for number in range(5)])
    first = ana.memory_list(limit=3)
    second = ana.memory_list(limit=3, cursor=first.next_cursor)
    assert len(first.results + second.results) == 5
    assert second.next_cursor is None


def test_each_error_has_its_class_and_details(ana: MemoryClient) -> None:
    """The service's codes are the client's classes, with the details of each."""
    ana.memory_edit("add", text="likes tea")
    ana.memory_edit("add", text="likes rain")
    with pytest.raises(Ambiguous) as ambiguous:
        ana.memory_edit("remove", text="likes")
    assert [one["line"] for one in ambiguous.value.details["occurrences"]] == [1, 2]
    with pytest.raises(NotFound) as absent:
        ana.memory_edit("remove", text="coffee")
    assert absent.value.details["entries"] == ["likes tea", "likes rain"]
    with pytest.raises(Conflict, match="has changed"):
        ana.memory_edit("add", text="x", version="another")
    with pytest.raises(NotFound):
        ana.memory_delete(_NOBODY)
    with pytest.raises(TooLarge):
        ana.memory_add(["x" * 70_000])
    with pytest.raises(InvalidArguments, match="since"):
        ana.memory_search("x", since="yesterday")


def test_another_user_has_another_memory(ana: MemoryClient) -> None:
    """`for_user` keeps the agent and shares nothing else."""
    ana.memory_add(["Ana keeps bees"])
    bo = ana.for_user("bo")
    assert bo.memory_list().results == []
    assert bo.scope.agent == ana.scope.agent
    assert len(ana.memory_list().results) == 1


def test_without_a_user_a_call_is_unscoped(running: Service) -> None:
    """A client without a user has no memory to fall back on."""
    with pytest.raises(Unscoped):
        MemoryClient.local(running.url, agent="helper").memory_list()


def test_the_async_client_does_the_same(async_ana: AsyncMemoryClient) -> None:
    """Many calls at once, and errors of the same classes."""

    async def story() -> Any:
        await asyncio.gather(*(async_ana.memory_add([f"Fact {number} of Ana"]) for number in range(8)))
        with pytest.raises(NotFound):
            await async_ana.memory_update(_NOBODY, content="x")
        return await async_ana.memory_list()

    assert len(asyncio.run(story()).results) == 8


@pytest.mark.parametrize("kind", [MemoryClient, AsyncMemoryClient])
@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_a_method_with_its_arguments(kind: type, name: str) -> None:
    """Both clients take the arguments of the catalogue, in snake_case."""
    method = getattr(kind, name)
    assert list(signature(method).parameters) == ["self", *TOOLS[name].arguments.model_fields]
    assert iscoroutinefunction(method) == (kind is AsyncMemoryClient)
    assert getdoc(method) == getdoc(getattr(MemoryClient, name))


def test_every_reply_of_the_service_is_decoded() -> None:
    """The client's dataclasses hold what the catalogue's models read from the same JSON."""
    direct = json.loads((ROOT / "tests" / "data" / "replies.json").read_text("utf-8"))["direct"]
    for name, answers in direct.items():
        wire, model = answers["success"]["result"], TOOLS[name].reply
        decoded = asdict(getattr(replies, model.__name__).of(wire))
        assert model.model_validate(decoded, by_name=True, strict=True) == model.model_validate(wire), name
