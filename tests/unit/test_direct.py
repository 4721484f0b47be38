"""Calls by direct invoke."""

import json
from typing import Any

import pytest
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.errors import Conflict, InvalidArguments, ToolError, Unavailable, Unscoped
from memtools.handler import recognise
from memtools.transports import direct
from memtools.wire.incoming import Call

CONTEXT = {"agent": "other", "user": "maria"}


def decode(**event: Any) -> Call:
    return direct.decode({"tool": "memory_add", "context": CONTEXT, **event}, "helper")


def test_a_call_is_taken_as_it_is() -> None:
    call = decode(arguments={"facts": ["Likes tea"]})
    assert call == Call("memory_add", {"facts": ["Likes tea"]}, Scope("other", "maria"))


def test_who_names_no_agent_has_the_one_of_the_deployment() -> None:
    assert decode(context={"user": "maria"}).scope == Scope("helper", "maria")


@pytest.mark.parametrize(
    "context", [None, {}, [], "maria", 7, {"agent": "a"}, {"user": ""}, {"user": " "}, {"userId": "m"}]
)
def test_who_names_no_user_has_no_memory(context: Any) -> None:
    with pytest.raises(Unscoped):
        decode(context=context)


@pytest.mark.parametrize("name", [7, True, ["maria"], {"id": "maria"}, "\ud800"])
def test_a_name_is_text(name: Any) -> None:
    with pytest.raises(Unscoped):
        decode(context={"agent": "a", "user": name})
    with pytest.raises(Unscoped):
        decode(context={"agent": name, "user": "maria"})


def test_a_deployment_without_an_agent_needs_one_named() -> None:
    with pytest.raises(Unscoped):
        direct.decode({"tool": "memory_add", "context": {"user": "maria"}}, "")


def test_arguments_do_not_change_whose_call_it_is() -> None:
    call = decode(arguments={"context": {"user": "victim"}, "user": "victim", "agent": "victim"})
    assert call.scope == Scope("other", "maria")


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": {}}])
def test_a_call_may_have_no_arguments(arguments: dict[str, Any]) -> None:
    assert decode(**arguments).arguments == {}


@pytest.mark.parametrize("arguments", ["{}", 7, True, ["x"], "", [], 0, False])
def test_arguments_that_are_no_object_are_not_taken_for_none(arguments: Any) -> None:
    with pytest.raises(InvalidArguments):
        TOOLS["memory_read"].parse(decode(tool="memory_read", arguments=arguments).arguments)


@pytest.mark.parametrize("tool", [None, 7, ["memory_add"], {}])
def test_a_tool_is_named_by_text(tool: Any) -> None:
    with pytest.raises(InvalidArguments):
        decode(tool=tool)


@pytest.mark.parametrize("part", ["user", "agent", "scope", "args", "Arguments"])
def test_unknown_parts_are_refused_by_name(part: str) -> None:
    with pytest.raises(InvalidArguments, match=f"Unknown field `{part}`") as refusal:
        decode(**{part: "marzipan"})
    assert "marzipan" not in str(refusal.value.as_dict())


def test_the_name_of_an_unknown_part_can_always_be_sent_back() -> None:
    with pytest.raises(InvalidArguments) as refusal:
        decode(**{"\ud800": 1})
    json.dumps(direct.encode({}, refusal.value), ensure_ascii=False).encode()


def test_a_result_is_ok() -> None:
    assert direct.encode({}, {"message": "Café"}) == {"ok": True, "result": {"message": "Café"}}


@pytest.mark.parametrize("error", [Conflict("Changed.", version="7"), Unavailable("Down.")])
def test_an_error_is_sent_complete(error: ToolError) -> None:
    assert direct.encode({}, error) == {
        "ok": False,
        "error": {
            "code": error.code,
            "message": error.message,
            "details": dict(error.details),
            "retryable": error.code == "unavailable",
        },
    }


def test_a_call_is_recognised() -> None:
    transport: Any = recognise({"tool": "memory_add"})
    assert transport is direct
    assert recognise({"arguments": {}}) is None
