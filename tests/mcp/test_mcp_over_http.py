"""`/mcp` over HTTP: what is refused, and with which status."""

import base64
import json
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from memtools.domain.scope import Scope
from memtools_cli.service.http import BODY_LIMIT

from local.service import Service
from tests.mcp.conftest import CURRENT, OLDER

VERSION = "io.modelcontextprotocol/protocolVersion"
META = {VERSION: CURRENT, "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture
def names(scope: Scope) -> dict[str, str]:
    return {"x-memory-agent": scope.agent, "x-memory-user": scope.user}


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def post(running: Service, headers: Mapping[str, str], body: Any, address: str = "/mcp") -> requests.Response:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"content-type": "application/json", **headers}
    return requests.post(f"{running.url}{address}", data=data, headers=headers, timeout=60)


def current(method: str, **params: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Headers and message of a request in the current revision."""
    body = message(method, _meta=META, **params)
    return {"mcp-protocol-version": CURRENT, "mcp-method": method}, body


# ---------------------------------------------------------------- who may ask


@pytest.mark.parametrize(
    "foreign",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"access-control-request-method": "POST"},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_no_other_site_s_page_is_answered(
    running: Service, names: dict[str, str], foreign: dict[str, str], method: str
) -> None:
    """Nor one under a name that was made to lead here. The answer permits no page to read it."""
    body = json.dumps(message("tools/list"))
    headers = {**names, "content-type": "application/json", **foreign}
    answer = requests.request(method, f"{running.url}/mcp", data=body, headers=headers, timeout=60)
    assert answer.status_code == 403
    assert not any(name.lower().startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize("left_out", ["x-memory-agent", "x-memory-user"])
def test_a_caller_without_a_name_is_refused_before_anything(
    running: Service, names: dict[str, str], left_out: str
) -> None:
    """As 403: clients take a 401 as an invitation to log in."""
    del names[left_out]
    answer = post(running, names, message("initialize"))
    assert answer.status_code == 403
    assert answer.json()["error"]["data"]["code"] == "unscoped"


def test_the_message_cannot_name_another_user(running: Service, names: dict[str, str]) -> None:
    """The scope is what the headers say, whatever arguments and metadata say."""
    other = {**names, "x-memory-user": "somebody else"}
    saved = post(running, other, message("tools/call", name="memory_add", arguments={"facts": ["Bo has a boat"]}))
    assert saved.json()["result"]["isError"] is False
    claims = {"user": "somebody else", "x-memory-user": "somebody else"}
    call = message("tools/call", name="memory_search", arguments={"query": "boat"}, _meta=claims, **claims)
    assert post(running, names, call).json()["result"]["structuredContent"]["results"] == []


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, -32600),
        (b"{", 400, -32700),
        (b"\xff\xfe", 400, -32700),
        (b"[" * 100_000, 400, -32700),
        ([message("tools/list")], 400, -32600),
        ({**message("tools/list"), "id": None}, 400, -32600),
        ({**message("tools/list"), "id": 1.5}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 7, "result": {}}, 400, -32600),
    ],
)
def test_what_is_no_request_is_a_bad_request(
    running: Service, names: dict[str, str], body: Any, status: int, code: int
) -> None:
    answer = post(running, names, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_huge_message_is_refused(running: Service, names: dict[str, str]) -> None:
    assert post(running, names, b" " * (BODY_LIMIT + 1)).status_code == 413


def test_half_a_surrogate_pair_is_an_error_of_the_tool(running: Service, names: dict[str, str]) -> None:
    """It is no character: it is refused, not stored, and the reply is valid UTF-8."""
    body = message("tools/call", name="memory_add", arguments={"facts": ["\ud800"]})
    result = json.loads(post(running, names, body).content.decode("utf-8"))["result"]
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"])["code"] == "invalid_arguments"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_there_is_no_stream_and_no_session(running: Service, names: dict[str, str], method: str) -> None:
    """Clients take 405 as the news that there is none."""
    answer = requests.request(method, f"{running.url}/mcp", headers=names, timeout=60)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_another_type_than_json_is_refused(running: Service, names: dict[str, str]) -> None:
    """A page can send text without asking first."""
    assert post(running, {**names, "content-type": "text/plain"}, message("tools/list")).status_code == 415


def test_a_notification_is_accepted_without_a_body(running: Service, names: dict[str, str]) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for revision in (CURRENT, *OLDER):
        answer = post(running, {**names, "mcp-protocol-version": revision}, body)
        assert (answer.status_code, answer.content) == (202, b"")


# ---------------------------------------------------------------- headers and profile


def test_headers_that_contradict_the_message_are_refused(running: Service, names: dict[str, str]) -> None:
    """Proxies decide by the headers."""
    headers, body = current("tools/call", name="memory_read")
    right = {**names, **headers, "mcp-name": "memory_read"}
    assert post(running, right, body).status_code == 200
    for name, wrong in (("mcp-protocol-version", OLDER[0]), ("mcp-method", "tools/list"), ("mcp-name", "memory_add")):
        without = {key: value for key, value in right.items() if key != name}
        for given in ({**right, name: wrong}, {**right, name: ""}, without):
            answer = post(running, given, body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)
            assert answer.json()["id"] == 7


def test_a_name_may_be_sent_as_base64(running: Service, names: dict[str, str]) -> None:
    headers, body = current("resources/read", uri="memory://soul")
    encoded = base64.b64encode(b"memory://soul").decode()
    for name, status in ((f"=?base64?{encoded}?=", 200), ("=?base64?%%?=", 400), ("=?base64??=", 400)):
        assert post(running, {**names, **headers, "mcp-name": name}, body).status_code == status


@pytest.mark.parametrize("meta", [{}, {"_meta": {**META, VERSION: "2024-11-05"}}], ids=["header", "header and message"])
def test_an_unknown_revision_is_refused(running: Service, names: dict[str, str], meta: Any) -> None:
    headers = {**names, "mcp-protocol-version": "2024-11-05", "mcp-method": "tools/list"}
    answer = post(running, headers, message("tools/list", **meta))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32022)


def test_an_unknown_method_is_not_found(running: Service, names: dict[str, str]) -> None:
    headers, body = current("subscriptions/listen")
    answer = post(running, {**names, **headers}, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(("query", "count"), [("", 6), ("?profile=small", 6), ("?profile=full", 12)])
def test_the_address_chooses_the_profile(running: Service, names: dict[str, str], query: str, count: int) -> None:
    answer = post(running, names, message("tools/list"), f"/mcp{query}")
    assert len(answer.json()["result"]["tools"]) == count


@pytest.mark.parametrize("query", ["?profile=", "?profile=all", "?profile=full&profile=small"])
def test_an_unknown_profile_is_refused(running: Service, names: dict[str, str], query: str) -> None:
    assert post(running, names, message("tools/list"), f"/mcp{query}").status_code == 400


def test_a_header_that_was_sent_twice_decides_nothing(running: Service, names: dict[str, str]) -> None:
    """Of two users none can be trusted."""
    address = urlsplit(running.url)
    body = json.dumps(message("tools/list"))
    lines = [
        "POST /mcp HTTP/1.1",
        f"host: {address.netloc}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *(f"{name}: {value}" for name, value in {**names}.items()),
        "x-memory-user: somebody else",
        "connection: close",
    ]
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        connection.sendall("\r\n".join([*lines, "", body]).encode())
        assert connection.recv(65_536).split(b" ")[1] == b"403"
