"""The gateway's interceptor: the user is the verified token's, whatever a client says."""

import base64
import json
from typing import Any

import pytest
from memtools.errors import Unscoped
from memtools.wire.incoming import Headers

from integrations import interceptor


def token(claims: Any) -> str:
    parts = ({"alg": "RS256"}, claims, "signature")
    encoded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return "Bearer " + ".".join(encoded)


def intercepted(headers: Any, body: Any = None) -> Any:
    """What it makes of a request."""
    event = {"mcp": {"gatewayRequest": {"path": "/mcp", "httpMethod": "POST", "headers": headers, "body": body}}}
    reply = interceptor.handler(event, None)
    assert reply["interceptorOutputVersion"] == "1.0"
    return reply["mcp"]


@pytest.fixture(autouse=True)
def _agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_ID", "helper")


CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add___memory_add", "arguments": {}}}


@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
def test_the_user_is_the_token_s_subject(name: str) -> None:
    sent = {name: token({"sub": "auth0|ann"}), "mcp-session-id": "s"}
    request = intercepted(sent, CALL)["transformedGatewayRequest"]
    assert request["body"] == CALL
    assert request["headers"] == {**sent, "x-memory-user": "auth0|ann", "x-memory-agent": "helper"}
    scope = Headers(request["headers"]).scope("")
    assert (scope.agent, scope.user) == ("helper", "auth0|ann")


@pytest.mark.parametrize("user", ["x-memory-user", "X-Memory-User", "X-MEMORY-USER"])
@pytest.mark.parametrize("agent_", ["x-memory-agent", "X-Memory-Agent"])
def test_scope_headers_from_the_client_are_dropped(user: str, agent_: str) -> None:
    sent = {"authorization": token({"sub": "ann"}), user: "bob", agent_: "spy"}
    headers = intercepted(sent, CALL)["transformedGatewayRequest"]["headers"]
    assert "bob" not in headers.values()
    assert "spy" not in headers.values()
    scope = Headers(headers).scope("")
    assert (scope.agent, scope.user) == ("helper", "ann")


UNUSABLE: list[Any] = [{}, [], "ann", {"sub": None}, {"sub": 7}, {"sub": ["ann"]}]


@pytest.mark.parametrize(
    "headers",
    [
        None,
        {},
        {"x-memory-user": "bob"},
        *({"authorization": one} for one in ("", None, ["Bearer a.b.c"], "Bearer a.b.c", "Bearer only-one-part")),
        {"authorization": token({"sub": "ann"}).replace("Bearer", "Basic")},
        *({"authorization": token(claims)} for claims in UNUSABLE),
        *({"authorization": token({"sub": sub})} for sub in ("", " ", " ann", "ann,bob", "ann\r\nx: y", "änn", "a\0")),
        {"authorization": token({"sub": "ann"}), "Authorization": token({"sub": "bob"})},
    ],
)
def test_without_a_usable_subject_the_call_is_refused(headers: Any) -> None:
    reply = intercepted(headers, CALL)
    assert set(reply) == {"transformedGatewayResponse"}
    refusal = reply["transformedGatewayResponse"]
    assert refusal["statusCode"] == 403
    assert refusal["body"]["id"] == CALL["id"]
    assert "sub" in refusal["body"]["error"]["message"]


@pytest.mark.parametrize("body", [None, [], [CALL], "text"])
def test_a_refusal_answers_any_body(body: Any) -> None:
    assert intercepted({}, body)["transformedGatewayResponse"]["body"]["id"] is None


def test_a_long_subject_passes_and_the_functions_refuse_it() -> None:
    long = intercepted({"authorization": token({"sub": "a" * 500})}, CALL)["transformedGatewayRequest"]["headers"]
    with pytest.raises(Unscoped):
        Headers(long).scope("")
