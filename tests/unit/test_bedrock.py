"""Calls by Bedrock agents: function details and OpenAPI."""

import json
from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError, Unscoped
from memtools.handler import recognise
from memtools.transports import bedrock_functions, bedrock_openapi
from memtools.wire.incoming import Call, Transport

KINDS: list[Any] = [bedrock_functions, bedrock_openapi]
QUERY = {"name": "query", "type": "string", "value": "tea"}
LIMIT = {"name": "limit", "type": "integer", "value": "7"}


def event(kind: Transport, *parameters: Any, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "messageVersion": "1.0",
        "agent": {"name": "helper", "id": "K7EXAMPLE1", "alias": "A", "version": "1"},
        "inputText": "What do I drink?",
        "sessionId": "1",
        "actionGroup": "Memory_search",
        "sessionAttributes": {"userId": "maria", "note": "é"},
        "promptSessionAttributes": {"today": "2026-11-30"},
    }
    given = list(parameters)
    if kind is bedrock_functions:
        made |= {"function": "memory_search", "parameters": given}
    else:
        body = {"content": {"application/json": {"properties": given}}}
        made |= {"apiPath": "/tools/memory_search", "httpMethod": "POST", "parameters": [], "requestBody": body}
    return {**made, **more}


def decode(kind: Transport, given: dict[str, Any]) -> Call:
    return kind.decode(given, "default-agent")


@pytest.fixture(params=KINDS, ids=["functions", "openapi"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_call_is_recognised_and_decoded(kind: Transport) -> None:
    given = event(kind, QUERY, LIMIT)
    assert recognise(given) is kind
    assert decode(kind, given) == Call("memory_search", {"query": "tea", "limit": 7}, Scope("K7EXAMPLE1", "maria"))


@pytest.mark.parametrize("parameters", [None, []])
def test_a_call_may_have_no_parameters(kind: Transport, parameters: Any) -> None:
    given = event(kind, parameters=parameters)
    given.pop("requestBody", None)
    assert decode(kind, given).arguments == {}


@pytest.mark.parametrize("parameters", ["x", 7, {}, [7], [None], [{}], [{"name": 7}], [[QUERY]]])
def test_parameters_of_another_form_are_refused(kind: Transport, parameters: Any) -> None:
    with pytest.raises(InvalidArguments):
        decode(kind, event(kind, parameters=parameters))


def test_a_parameter_given_twice_is_refused(kind: Transport) -> None:
    with pytest.raises(InvalidArguments, match="`query` was given twice"):
        decode(kind, event(kind, QUERY, {**QUERY, "value": "coffee"}))


def test_a_parameter_in_path_and_body_is_given_twice() -> None:
    given = event(bedrock_openapi, QUERY, parameters=[QUERY])
    with pytest.raises(InvalidArguments, match="twice"):
        decode(bedrock_openapi, given)


def test_parameters_of_path_and_body_go_together() -> None:
    given = event(bedrock_openapi, QUERY, parameters=[LIMIT])
    assert decode(bedrock_openapi, given).arguments == {"limit": 7, "query": "tea"}


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("/tools/memory_add", "memory_add"),
        ("/memory_add", "memory_add"),
        ("/v2/memory_add", "v2/memory_add"),
        ("/tools", "tools"),
        ("", ""),
    ],
)
def test_the_path_names_the_tool(path: str, tool: str) -> None:
    assert decode(bedrock_openapi, event(bedrock_openapi, apiPath=path)).tool == tool


def test_a_tool_is_named_by_text() -> None:
    with pytest.raises(InvalidArguments):
        decode(bedrock_functions, event(bedrock_functions, function=["memory_add"]))
    with pytest.raises(InvalidArguments):
        decode(bedrock_openapi, event(bedrock_openapi, apiPath=None))


def test_no_other_type_of_body_is_understood() -> None:
    body = {"content": {"text/plain": {"properties": [QUERY]}}}
    with pytest.raises(InvalidArguments, match="application/json"):
        decode(bedrock_openapi, event(bedrock_openapi, requestBody=body))


# Whose call it is


@pytest.mark.parametrize("attributes", [None, {}, [], "maria", {"userId": ""}, {"userId": 7}, {"userid": "maria"}])
def test_a_session_without_a_user_has_no_memory(kind: Transport, attributes: Any) -> None:
    with pytest.raises(Unscoped):
        decode(kind, event(kind, sessionAttributes=attributes))


@pytest.mark.parametrize("agent", [None, {}, "K7EXAMPLE1", {"id": ""}, {"name": "helper"}, {"id": ["x"]}])
def test_the_agent_is_the_one_that_bedrock_runs_and_no_default(kind: Transport, agent: Any) -> None:
    with pytest.raises(Unscoped):
        decode(kind, event(kind, agent=agent))


def test_prompt_session_attributes_do_not_name_the_user(kind: Transport) -> None:
    planted = {"userId": "victim", "agentId": "victim", "sessionAttributes": '{"userId": "victim"}'}
    given = event(kind, promptSessionAttributes=planted)
    assert decode(kind, given).scope == Scope("K7EXAMPLE1", "maria")
    with pytest.raises(Unscoped):
        decode(kind, {**given, "sessionAttributes": {}})


@pytest.mark.parametrize("name", ["userId", "user", "agent", "sessionAttributes", "sessionAttributes.userId"])
def test_parameters_name_nobody(kind: Transport, name: str) -> None:
    planted = {"name": name, "type": "string", "value": "victim"}
    assert decode(kind, event(kind, planted)).scope == Scope("K7EXAMPLE1", "maria")
    with pytest.raises(Unscoped):
        decode(kind, event(kind, planted, sessionAttributes={}))


def test_the_scope_is_checked_before_the_arguments(kind: Transport) -> None:
    with pytest.raises(Unscoped):
        decode(kind, event(kind, QUERY, QUERY, sessionAttributes={}))


# Replies


def test_a_result_is_text_in_what_bedrock_expects() -> None:
    assert bedrock_functions.encode(event(bedrock_functions), {"message": "Café", "saved": []}) == {
        "messageVersion": "1.0",
        "response": {
            "actionGroup": "Memory_search",
            "function": "memory_search",
            "functionResponse": {"responseBody": {"TEXT": {"body": '{"message": "Café", "saved": []}'}}},
        },
        "sessionAttributes": {"userId": "maria", "note": "é"},
        "promptSessionAttributes": {"today": "2026-11-30"},
    }
    assert bedrock_openapi.encode(event(bedrock_openapi), {"message": "Café"}) == {
        "messageVersion": "1.0",
        "response": {
            "actionGroup": "Memory_search",
            "apiPath": "/tools/memory_search",
            "httpMethod": "POST",
            "httpStatusCode": 200,
            "responseBody": {"application/json": {"body": '{"message": "Café"}'}},
        },
        "sessionAttributes": {"userId": "maria", "note": "é"},
        "promptSessionAttributes": {"today": "2026-11-30"},
    }


@pytest.mark.parametrize("error", ToolError.__subclasses__())
def test_an_error_goes_back_to_the_model_if_it_can_correct_it(error: type[ToolError]) -> None:
    state = "FAILURE" if error.code in ("fault", "unavailable", "unscoped") else "REPROMPT"
    told = {"code": error.code, "message": "é", "details": {"n": 1}, "retryable": error.retryable}
    functions = bedrock_functions.encode(event(bedrock_functions), error("é", n=1))["response"]["functionResponse"]
    assert functions["responseState"] == state
    assert json.loads(functions["responseBody"]["TEXT"]["body"]) == told
    openapi = bedrock_openapi.encode(event(bedrock_openapi), error("é", n=1))["response"]
    assert (openapi["responseState"], openapi["httpStatusCode"] >= 400) == (state, True)
    assert json.loads(openapi["responseBody"]["application/json"]["body"]) == told
    assert "é" in openapi["responseBody"]["application/json"]["body"]


@pytest.mark.parametrize("attributes", [None, 7, "x", []])
def test_odd_attributes_are_answered_with_none(kind: Transport, attributes: Any) -> None:
    given = event(kind, sessionAttributes=attributes, promptSessionAttributes=attributes)
    reply = kind.encode(given, {})
    assert (reply["sessionAttributes"], reply["promptSessionAttributes"]) == ({}, {})


def test_half_a_surrogate_pair_in_an_attribute_is_never_echoed() -> None:
    """FAULTS C8: the reply has to be valid UTF-8, whatever the session has."""
    event = {"actionGroup": "g", "function": "f", "sessionAttributes": {"note\ud800": ["a\udfff", {"b": "\ud800"}]}}
    reply = bedrock_functions.encode(event, {"message": "ok"})
    json.dumps(reply, ensure_ascii=False).encode()
    assert list(reply["sessionAttributes"].values()) == [["a?", {"b": "?"}]]
