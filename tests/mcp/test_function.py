"""The function that serves MCP: whatever event comes, it answers, and for nobody but the caller."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools.transports import mcp
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT

from local.service import Service
from tests.functions.test_envelopes import JSON, changed, places
from tests.functions.wrapping import ENVELOPES

OWN = Scope("helper", "ana")


def request(scope: Scope, method: str, **params: Any) -> dict[str, Any]:
    """A message as API Gateway hands it over, for a caller who signed."""
    event, _ = ENVELOPES["http"].wrap("", {}, scope)
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return {**event, "rawPath": "/mcp", "rawQueryString": "profile=full", "body": json.dumps(body)}


def result(running: Service, event: dict[str, Any]) -> Any:
    return json.loads(running.handlers["McpFunction"](event, None)["body"])["result"]


EVENTS = [
    request(OWN, method, **params)
    for method, params in (
        ("tools/list", {}),
        ("tools/call", {"name": "memory_list"}),
        ("resources/read", {"uri": "memory://soul"}),
        ("server/discover", {}),
    )
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_request_is_answered(running: Service, data: st.DataObject) -> None:
    """A part of the event, or the whole of it, may be anything."""
    event = data.draw(st.sampled_from(EVENTS))
    event = changed(event, data.draw(st.sampled_from(list(places(event)))), data.draw(JSON))
    reply = running.handlers["McpFunction"](event, None)
    json.dumps(reply, ensure_ascii=False).encode()
    if "statusCode" in reply:
        assert 200 <= reply["statusCode"] < 500
        said = json.loads(reply["body"] or "{}")
        assert "error" not in said or said["error"]["data"]["code"] not in ("unavailable", "fault")
    else:
        assert reply["error"]["code"] == "invalid_arguments"


@pytest.mark.parametrize("envelope", [name for name in ENVELOPES if name not in ("http", "rest")])
def test_no_other_envelope_is_taken(running: Service, envelope: str) -> None:
    event, context = ENVELOPES[envelope].wrap("memory_list", {}, OWN)
    assert running.handlers["McpFunction"](event, context)["error"]["code"] == "invalid_arguments"


@pytest.mark.parametrize(
    ("caller", "scope"),
    [
        ({"jwt": {"claims": {"sub": "ana"}}}, ("default-agent", "ana")),
        ({"iam": {"userArn": "arn"}}, ("helper", "header")),
    ],
    ids=["token", "signature"],
)
def test_the_authorizer_says_whose_memory_it_is(caller: Any, scope: tuple[str, str]) -> None:
    """With a token its subject, whatever the headers say."""
    event = request(Scope("helper", "header"), "tools/call", name="memory_list")
    event["requestContext"]["authorizer"] = caller
    call = mcp.Received(event, "default-agent").decode(event, "default-agent")
    assert call.scope == Scope(*scope)


@pytest.mark.parametrize(
    ("origin", "status"), [("https://evil.example", 403), ("null", 403), ("", 403), ("https://api.example", 200)]
)
def test_a_page_of_another_site_is_refused(running: Service, origin: str, status: int) -> None:
    """Deployed too, where no guard stands before the function."""
    event = request(OWN, "tools/list")
    event["headers"] |= {"host": "api.example", "origin": origin}
    assert running.handlers["McpFunction"](event, None)["statusCode"] == status


def test_a_reply_that_is_too_large_is_shortened(running: Service, scope: Scope) -> None:
    """Whole memories are left out, and the reply says so."""
    event = request(scope, "tools/call", name="memory_list", arguments={"limit": 100})
    for part in range(5):
        # Each quotation mark is escaped in the reply, in the text of the result, and in the body of the response.
        facts = [f"{part}-{number} " + '"' * 9_000 for number in range(12)]
        result(running, request(scope, "tools/call", name="memory_add", arguments={"facts": facts}))
    reply = running.handlers["McpFunction"](event, None)
    assert len(json.dumps(reply, ensure_ascii=False).encode()) <= LAMBDA_REPLY_LIMIT
    listed = result(running, event)["structuredContent"]
    assert listed["leftOut"] > 0
    assert len(listed["results"]) + listed["leftOut"] == 60
