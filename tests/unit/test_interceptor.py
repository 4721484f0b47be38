"""The gateway's interceptor, as it stands in the template: the user is the verified token's, whatever a client says."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode import cfn_yaml
from memtools.errors import Unscoped
from memtools.wire.incoming import Headers

from integrations import interceptor

ROOT = Path(__file__).parents[2]
function = cfn_yaml.load(str(ROOT / "integrations" / "agentcore-gateway.yaml"))["Resources"]["Interceptor"][
    "Properties"
]


def token(claims: Any) -> str:
    parts = ({"alg": "RS256"}, claims, "signature")
    encoded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return "Bearer " + ".".join(encoded)


def intercepted(headers: Any, body: Any = None) -> Any:
    """What the code in the template makes of a request."""
    code = function["Code"]["ZipFile"]
    module: dict[str, Any] = {}
    exec(compile(str(code), "index.py", "exec"), module)
    event = {"mcp": {"gatewayRequest": {"path": "/mcp", "httpMethod": "POST", "headers": headers, "body": body}}}
    reply = module["handler"](event, None)
    assert reply["interceptorOutputVersion"] == "1.0"
    return reply["mcp"]


@pytest.fixture(autouse=True)
def _agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_ID", "helper")


CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add___memory_add", "arguments": {}}}


def test_the_template_s_interceptor_is_the_one_that_is_checked() -> None:
    assert function["Handler"] == "index.handler"
    assert len(function["Code"]["ZipFile"]) <= 4096
    assert str(function["Code"]["ZipFile"]).rstrip("\n") == Path(interceptor.__file__).read_text().rstrip("\n")


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


@pytest.mark.parametrize(
    "headers",
    [
        None,
        {},
        {"x-memory-user": "bob"},
        {"authorization": ""},
        {"authorization": None},
        {"authorization": ["Bearer a.b.c"]},
        {"authorization": "Bearer a.b.c"},
        {"authorization": "Bearer only-one-part"},
        {"authorization": token({"sub": "ann"}).replace("Bearer", "Basic")},
        {"authorization": token({})},
        {"authorization": token([])},
        {"authorization": token("ann")},
        {"authorization": token({"sub": None})},
        {"authorization": token({"sub": 7})},
        {"authorization": token({"sub": ["ann"]})},
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
