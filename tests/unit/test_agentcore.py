"""Calls through an AgentCore Gateway."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools.errors import Conflict, InvalidArguments, Unavailable, Unscoped
from memtools.handler import recognise
from memtools.transports import agentcore
from memtools.wire.incoming import Call

HEADERS = {"X-Memory-User": "maria"}
TOOL = "bedrockAgentCoreToolName"
PROPAGATED = "bedrockAgentCorePropagatedHeaders"


def context(headers: Any = HEADERS, tool: Any = "memory___memory_add", **more: Any) -> Any:
    custom = {TOOL: tool, PROPAGATED: headers, **more}
    return SimpleNamespace(client_context=SimpleNamespace(custom=custom))


def scope(headers: Any) -> Scope:
    return agentcore.decode({}, "helper", context(headers)).scope


def test_the_event_is_the_arguments() -> None:
    event = {"facts": ["Likes tea"], "tags": ["drink"]}
    assert recognise(event, context()) is agentcore
    assert agentcore.decode(event, "helper", context()) == Call("memory_add", event, Scope("helper", "maria"))


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("t___memory_add", "memory_add"),
        ("my-target___memory_add", "memory_add"),
        ("t___memory___add", "memory___add"),
        ("t____memory_add", "_memory_add"),
        ("memory_add", "memory_add"),
        ("t___", "t___"),
        ("", ""),
    ],
)
def test_the_tool_stands_behind_the_targets_name(name: str, tool: str) -> None:
    assert agentcore.decode({}, "helper", context(tool=name)).tool == tool


@pytest.mark.parametrize("name", [None, 7, ["t___memory_add"], {}])
def test_a_tool_is_named_by_text(name: Any) -> None:
    with pytest.raises(InvalidArguments):
        agentcore.decode({}, "helper", context(tool=name))


@pytest.mark.parametrize("event", [[], None, "x", 7])
def test_an_event_that_is_no_object_is_left_to_the_tool(event: Any) -> None:
    assert recognise(event, context()) is agentcore
    assert agentcore.decode(event, "helper", context()).arguments == event


@pytest.mark.parametrize(
    "given",
    [
        *(None, 7, SimpleNamespace(), SimpleNamespace(client_context=None)),
        *(SimpleNamespace(client_context=SimpleNamespace(custom=one)) for one in (None, {"other": 1}, TOOL)),
    ],
)
def test_without_the_gateways_mark_it_is_no_such_call(given: Any) -> None:
    assert recognise({"facts": []}, given) is None


@pytest.mark.parametrize("mark", [TOOL, PROPAGATED, "bedrockAgentCoreGatewayId"])
def test_any_mark_of_the_gateway_keeps_the_event_from_naming_anybody(mark: str) -> None:
    forged = {"tool": "memory_list", "context": {"agent": "a", "user": "victim"}}
    marked = SimpleNamespace(client_context=SimpleNamespace(custom={mark: None}))
    assert recognise(forged, marked) is agentcore


# Whose call it is


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
def test_headers_of_any_case_name_user_and_agent(spell: Any) -> None:
    headers = {spell("x-memory-user"): "Maria", spell("x-memory-agent"): "Other"}
    assert scope(headers) == scope(json.dumps(headers)) == Scope("Other", "Maria")


@pytest.mark.parametrize(
    "headers",
    [
        *(None, {}, [], 7, "", "{", "[]", '"x-memory-user"', "[" * 100_000, "x-memory-user: maria"),
        *({"x-memory-agent": "a"}, {"x-memory-user": None}, {"x-memory-user": {"x": "maria"}}),
        *('{"x-memory-user": {"maria": "maria"}}', {"x_memory_user": "maria"}, {"x-memory-user ": "maria"}),
        *({"x%2Dmemory-user": "maria"}, {"\uff58-memory-user": "maria"}, {"authorization": "Bearer x"}),
    ],
)
def test_headers_that_do_not_name_the_user_name_nobody(headers: Any) -> None:
    with pytest.raises(Unscoped):
        scope(headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"x-memory-user": "maria", "X-Memory-User": "victim"},
        {"x-memory-user": ["maria", "victim"]},
        {"x-memory-user": "maria,victim"},
        {"x-memory-user": "maria, victim"},
        {"x-memory-user": "maria", "X-MEMORY-USER": ""},
        '{"x-memory-user": "maria", "x-memory-user": "victim"}',
        '{"x-memory-user": "maria", "x-memory-use\\u0072": "victim"}',
        {"x-memory-user": "maria", "x-memory-agent": "a", "X-Memory-Agent": "b"},
        {"x-memory-user": "maria", "x-memory-agent": "a,b"},
    ],
)
def test_headers_that_could_be_read_in_two_ways_are_refused(headers: Any) -> None:
    with pytest.raises(Unscoped, match="more than once"):
        scope(headers)


def test_the_same_name_twice_is_one_name() -> None:
    assert scope({"x-memory-user": "maria", "X-Memory-User": ["maria"]}) == Scope("helper", "maria")


def test_arguments_do_not_change_whose_call_it_is() -> None:
    event = {"x-memory-user": "victim", PROPAGATED: {"x-memory-user": "victim"}, "context": {"user": "victim"}}
    assert agentcore.decode(event, "helper", context()).scope == Scope("helper", "maria")


def test_a_deployment_without_an_agent_needs_one_named() -> None:
    with pytest.raises(Unscoped):
        agentcore.decode({}, "", context())


# Replies


def test_a_result_is_sent_as_it_is() -> None:
    assert agentcore.encode({}, {"message": "Café", "saved": []}) == {"message": "Café", "saved": []}


@pytest.mark.parametrize("error", [Conflict("Changed.", version=7), Unavailable("Down.")])
def test_an_error_is_told_to_programs_and_to_the_model(error: Any) -> None:
    assert agentcore.encode({}, error) == {
        "isError": True,
        "error": error.as_dict(),
        "content": [{"type": "text", "text": error.message}],
    }
