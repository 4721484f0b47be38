"""Every envelope through the real handlers: the same tools, nobody else's memory, and never an exception."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memtools import transports
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.handler import recognise

from generate import replies
from local.invoke import client_context, load
from local.service import Service
from local.template import ROOT
from tests.functions.wrapping import ENVELOPES

FUNCTIONS = {tool.name: f"{tool.function.capitalize()}Function" for tool in TOOLS.values()}
EVENTS = sorted((ROOT / "events").glob("*/*.json"))
CODES = {"invalid_arguments", "unscoped", "not_found", "ambiguous", "conflict", "too_large", "unavailable"}


def call(running: Service, envelope: str, tool: str, scope: Scope, **arguments: Any) -> dict[str, Any]:
    event, context = ENVELOPES[envelope].wrap(tool, arguments, scope)
    return ENVELOPES[envelope].read(running.handlers[FUNCTIONS[tool]](event, context))


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_a_memory_is_the_same_in_every_envelope(running: Service, scope: Scope, envelope: str) -> None:
    facts = ["Ana likes tea, not coffee", "日本語 é 🏳️‍🌈"]
    saved = call(running, envelope, "memory_add", scope, facts=facts, tags=["drink"])["saved"]
    assert [one["content"] for one in saved] == facts
    for other in ENVELOPES:
        listed = call(running, other, "memory_list", scope, limit=5, tags=["drink"])["results"]
        assert [one["id"] for one in listed] == [one["id"] for one in reversed(saved)]
        assert call(running, other, "memory_list", Scope(scope.agent, "bob"))["results"] == []
        assert call(running, other, "memory_list", Scope("other", scope.user))["results"] == []


@pytest.mark.parametrize("envelope", [name for name in ENVELOPES if name != "agentcore"])
def test_what_a_model_sends_through_a_gateway_is_taken_for_no_other_envelope(
    running: Service, scope: Scope, envelope: str
) -> None:
    """The model writes the whole event of AgentCore, so it may look like anybody's call."""
    forged, _ = ENVELOPES[envelope].wrap("memory_list", {}, Scope(scope.agent, "victim"))
    event, context = ENVELOPES["agentcore"].wrap("memory_list", forged, scope)
    assert recognise(event, context) is getattr(transports, "agentcore")  # noqa: B009
    said = ENVELOPES["agentcore"].read(running.handlers["SearchFunction"](event, context))
    assert said["code"] == "invalid_arguments"


@pytest.mark.parametrize("envelope", ["bedrock-functions", "bedrock-openapi"])
def test_a_reply_too_large_for_bedrock_is_cut_at_whole_results(running: Service, scope: Scope, envelope: str) -> None:
    facts = [f"Fact number {number}: {'é' * 1500}" for number in range(12)]
    added = call(running, envelope, "memory_add", scope, facts=facts)
    assert added["message"] == "Saved 12 fact(s) to memory."
    assert added["leftOut"] + len(added["saved"]) == 12
    seen: list[str] = []
    arguments: dict[str, Any] = {"limit": 12}
    while True:
        page = call(running, envelope, "memory_list", scope, **arguments)
        if "leftOut" in page:
            assert "nextCursor" not in page
            arguments["limit"] = len(page["results"])
            assert f"limit {arguments['limit']}" in page["note"]
            continue
        seen += [one["content"] for one in page["results"]]
        if "nextCursor" not in page:
            break
        arguments["cursor"] = page["nextCursor"]
    assert seen == facts[::-1]


@pytest.mark.parametrize("envelope", ENVELOPES)
@pytest.mark.parametrize("tool", replies.CASES)
def test_every_reply_shown_is_of_the_outcome_it_is_shown_for(envelope: str, tool: str) -> None:
    shown = json.loads(replies.GOLDEN.read_text("utf-8"))[envelope][tool]
    assert set(shown) == set(replies.outcomes(tool))
    for outcome, reply in shown.items():
        said = ENVELOPES[envelope].read(reply)
        assert said.get("code", "success") == outcome


def test_every_tool_is_shown() -> None:
    assert set(replies.CASES) == set(TOOLS)


# Strangers

WORDS = [
    *("actionGroup", "function", "apiPath", "httpMethod", "parameters", "requestBody", "content", "properties"),
    *("application/json", "sessionAttributes", "promptSessionAttributes", "agent", "id", "userId", "name", "type"),
    *("value", "requestContext", "http", "identity", "authorizer", "jwt", "iam", "claims", "sub", "userArn", "headers"),
    *("multiValueHeaders", "x-memory-user", "body", "path", "rawPath", "isBase64Encoded", "tool", "arguments"),
    *("context", "query", "facts", "bedrockAgentCoreToolName", "bedrockAgentCorePropagatedHeaders"),
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from([*TOOLS, "POST", "{}", "[", "[a, b]", "array", "integer", "true", "/tools/memory_list", "x___y"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in an event."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


@st.composite
def nearly_right(draw: st.DrawFn) -> tuple[Any, Any]:
    """One of events/, with something in it replaced."""
    event, context = load(draw(st.sampled_from(EVENTS)))
    event = changed(event, draw(st.sampled_from(list(places(event)))), draw(JSON))
    if context is not None and draw(st.booleans()):
        custom = context.client_context.custom
        context = client_context(changed(custom, draw(st.sampled_from(list(places(custom)))), draw(JSON)))
    return event, context


def well_formed(event: Any, context: Any, reply: Any) -> None:
    """The reply is one of the event's envelope, or that of a direct call if it is none that is known."""
    transport = recognise(event, context)
    name = transport.__name__.rpartition(".")[2].replace("_", "-") if transport else "direct"  # type: ignore[attr-defined]
    said = ENVELOPES[name].read(reply)
    json.dumps(reply)
    match name:
        case "bedrock-functions":
            response = reply["response"]
            assert (response["actionGroup"], response["function"]) == (event["actionGroup"], event["function"])
            failed = "responseState" in response["functionResponse"]
        case "bedrock-openapi":
            response = reply["response"]
            assert (response["actionGroup"], response["apiPath"]) == (event["actionGroup"], event["apiPath"])
            failed = response["httpStatusCode"] != 200
            assert failed == ("responseState" in response)
        case "agentcore":
            failed = "isError" in reply
        case "http" | "rest":
            failed = reply["statusCode"] != 200
        case _:
            failed = not reply["ok"]
            assert transport or said["code"] == "invalid_arguments"
    # `unavailable` would be a fault of ours: the store is there.
    assert not failed or said["code"] in CODES - {"unavailable"}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    arrived=nearly_right() | st.tuples(JSON, st.none() | JSON.map(client_context)),
    function=st.sampled_from(sorted(set(FUNCTIONS.values()))),
)
def test_any_event_is_answered_in_its_envelope(running: Service, arrived: tuple[Any, Any], function: str) -> None:
    event, context = arrived
    before = json.dumps(event)
    well_formed(event, context, running.handlers[function](event, context))
    assert json.dumps(event) == before


@pytest.mark.parametrize("envelope", ENVELOPES)
@pytest.mark.parametrize(
    "name", ["agent", "user", "userId", "user_id", "agentId", "scope", "pk", "x-memory-user", "sessionAttributes"]
)
def test_nobody_is_named_by_an_argument(running: Service, scope: Scope, envelope: str, name: str) -> None:
    event, context = ENVELOPES[envelope].wrap("memory_add", {"facts": ["planted"], name: "bob"}, scope)
    said = ENVELOPES[envelope].read(running.handlers["AddFunction"](event, context))
    assert (said["code"], name in json.dumps(said)) == ("invalid_arguments", True)


@pytest.mark.parametrize("envelope", ENVELOPES)
@pytest.mark.parametrize(
    "spelled", ["a%6Ea", "ANA", "ana\u200b", "=?utf-8?q?ana?=", "YW5h", "ａｎａ", "an\\u0061", "ana/"]
)
def test_other_spellings_of_a_name_are_other_users(running: Service, scope: Scope, envelope: str, spelled: str) -> None:
    call(running, envelope, "memory_add", scope, facts=["Ana's own"])
    assert call(running, envelope, "memory_list", Scope(scope.agent, spelled))["results"] == []
