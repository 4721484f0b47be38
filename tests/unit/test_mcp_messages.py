"""The Model Context Protocol without a transport: messages, revisions, lists and errors."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.catalogue import TOOLS
from memtools.errors import Conflict, InvalidArguments, TooLarge, ToolError, Unavailable
from memtools.tools.search import Found
from memtools.wire.mcp import offer
from memtools.wire.mcp.exchange import Exchange, ToolCall
from memtools.wire.mcp.jsonrpc import Refused, read

CURRENT = "2026-07-28"
OLDER = ("2025-11-25", "2025-06-18", "2025-03-26")
META = {
    "io.modelcontextprotocol/protocolVersion": CURRENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
CODES = {"invalid_arguments", "not_found", "unscoped", "too_large", "unavailable", "conflict", "fault"}
KEY = "memtools/idempotencyKey"
ERRORS = (InvalidArguments("no", argument="x"), Conflict("no", text="y"), Unavailable("later"))

either_kind = pytest.mark.parametrize("current", [True, False], ids=["current", "older"])


def message(method: str, current: bool = True, identity: Any = 1, **params: Any) -> dict[str, Any]:
    meta = {"_meta": META} if current else {}
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": {**meta, **params}}


def answer(raw: Any, outcome: Any = None, profile: str = "small") -> Any:
    """The reply to a message; None if it gets none. A tool that it calls has the outcome."""
    try:
        exchange = Exchange.of(read(raw if isinstance(raw, (str, bytes)) else json.dumps(raw)), profile)
        opened = exchange.open()
        return exchange.close(outcome or {"results": []}) if isinstance(opened, ToolCall) else opened
    except Refused as refused:
        return refused.reply()


def error_of(raw: Any) -> dict[str, Any]:
    error: dict[str, Any] = answer(raw)["error"]
    return error


# ---------------------------------------------------------------- messages

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
methods = st.sampled_from(["tools/call", "tools/list", "resources/read", "prompts/get", "initialize", "ping", "x"])
params = st.fixed_dictionaries(
    {},
    optional={
        "name": anything | st.sampled_from(list(TOOLS)),
        "arguments": anything,
        "uri": anything | st.sampled_from(list(offer.TARGETS)),
        "cursor": anything,
        "protocolVersion": anything,
        "_meta": anything
        | st.just(META)
        | st.dictionaries(st.sampled_from([*META, "memtools/idempotencyKey"]), anything),
    },
)
messages = anything | st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | anything,
        "id": anything,
        "method": methods | anything,
        "params": params | anything,
    },
)


@given(raw=messages)
def test_whatever_comes_the_reply_is_one_json_rpc_message(raw: Any) -> None:
    """Any JSON gets one result or error with its own id, in our vocabulary, that UTF-8 can express; or nothing."""
    reply = answer(json.dumps(raw))
    if reply is None:
        assert "id" not in raw
        return
    assert set(reply) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    json.dumps(reply, ensure_ascii=False).encode()
    if "error" in reply:
        assert isinstance(reply["error"]["code"], int)
        assert reply["error"]["data"]["code"] in CODES
    if isinstance(raw, dict) and "result" in reply:
        assert reply["id"] == raw["id"]


@given(raw=st.binary(max_size=40) | st.text(max_size=40))
def test_whatever_is_no_json_is_a_parse_error_or_refused(raw: Any) -> None:
    reply = answer(raw)
    assert reply["error"]["code"] in (-32700, -32600)
    assert reply["id"] is None


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("[]", -32600),
        (json.dumps([message("tools/list"), message("tools/list")]), -32600),
        ("7", -32600),
        ("", -32700),
        ("{", -32700),
        ("[" * 100_000, -32700),
        ('{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', -32700),
        (b"\xff\xfe", -32700),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}, -32602),
        (message("subscriptions/listen"), -32601),
        (message("ping"), -32601),  # only older revisions have it
        (message("initialize"), -32601),
        (message("server/discover", current=False), -32602),
        (message("tools/call", name="memory_unknown"), -32602),
        (message("tools/call", name=None), -32602),
        (message("tools/call", name=["memory_search"]), -32602),
        (message("tools/list", cursor="x"), -32602),
        (message("prompts/get", name="x"), -32602),
        (message("resources/read", uri="memory://soul/../user"), -32602),
        (message("resources/read", current=False, uri="file:///etc/passwd"), -32002),
    ],
)
def test_what_cannot_be_answered_is_refused(raw: Any, code: int) -> None:
    assert error_of(raw)["code"] == code


@pytest.mark.parametrize("identity", [None, True, 1.5, [], {}, "\ud800", "x" * 1_001, 2**63])
def test_an_id_is_a_text_or_an_integer(identity: Any) -> None:
    """Another id cannot be repeated, so the error has none."""
    reply = answer(message("tools/list", identity=identity))
    assert reply["error"]["code"] == -32600
    assert reply["id"] is None


@pytest.mark.parametrize("identity", ["", "a", "é🙂", 0, -1, 2**53])
def test_a_reply_has_the_id_of_its_request(identity: Any) -> None:
    assert answer(message("tools/list", identity=identity))["id"] == identity
    assert answer(message("nothing", identity=identity))["id"] == identity


def test_a_notification_gets_no_reply() -> None:
    """Not even an unknown one, and none calls a tool."""
    for method in ("notifications/initialized", "notifications/cancelled", "unknown", "tools/call"):
        assert answer({"jsonrpc": "2.0", "method": method, "params": {"name": "memory_search"}}) is None


# ---------------------------------------------------------------- revisions


@pytest.mark.parametrize("wanted", ["1900-01-01", "2024-11-05", "", "x" * 10_000, "\ud800"])
def test_an_unknown_revision_is_refused_with_those_that_are_spoken(wanted: str) -> None:
    found = error_of(message("tools/list", current=False, _meta={**META, next(iter(META)): wanted}))
    assert found["code"] == -32022
    assert found["data"]["supported"] == [CURRENT, *OLDER]


@pytest.mark.parametrize(
    "meta", [{next(iter(META)): 7}, {next(iter(META)): CURRENT}, {**META, list(META)[1]: []}], ids=str
)
def test_incomplete_metadata_is_refused(meta: Any) -> None:
    assert error_of(message("tools/list", current=False, _meta=meta))["code"] == -32602


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [*zip(OLDER, OLDER, strict=True), (CURRENT, OLDER[0]), ("1900-01-01", OLDER[0]), (7, OLDER[0])],
)
def test_older_clients_agree_on_a_revision_at_the_beginning(wanted: Any, agreed: str) -> None:
    result = answer(message("initialize", current=False, protocolVersion=wanted))["result"]
    assert result["protocolVersion"] == agreed
    assert result["serverInfo"]["name"] == "memtools"


def test_the_current_revision_says_what_the_server_is_without_a_session() -> None:
    result = answer(message("server/discover"))["result"]
    assert result["supportedVersions"] == [CURRENT, *OLDER]
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "memtools"
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"}


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
def test_lists_are_the_same_each_time_and_may_be_kept(method: str) -> None:
    """The current revision says for how long and for whom; older ones have no such fields."""
    first, second = (answer(message(method))["result"] for _ in range(2))
    assert json.dumps(first) == json.dumps(second)
    assert first.pop("ttlMs") > 0
    assert first.pop("cacheScope") == "public"
    assert first.pop("resultType") == "complete"
    assert answer(message(method, current=False))["result"] == first


def test_a_document_may_be_kept_by_its_owner_alone() -> None:
    result = answer(message("resources/read", uri="memory://user"), {"text": "x"})["result"]
    assert (result["cacheScope"], result["ttlMs"]) == ("private", 0)


# ---------------------------------------------------------------- tools


def test_the_tools_are_the_catalogue_s_with_title_and_annotations() -> None:
    """A client asks its user before a tool that says that it changes something."""
    listed = answer(message("tools/list"), profile="full")["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(TOOLS)
    for tool in listed:
        own = TOOLS[tool["name"]]
        assert tool["description"] == own.description
        assert tool["title"]
        assert tool["annotations"]["readOnlyHint"] is not own.reply.changes
        assert tool["annotations"]["openWorldHint"] is False
    hints = {tool["name"]: tool["annotations"] for tool in listed}
    changing = [name for name in TOOLS if TOOLS[name].reply.changes]
    assert [name for name in changing if not hints[name]["destructiveHint"]] == ["memory_add"]
    assert [name for name in TOOLS if not hints[name]["idempotentHint"]] == ["memory_edit", "memory_unmerge"]


def tokens(value: Any) -> int:
    """About the tokens of o200k. That encoding itself counts at most 1 % more in these lists (js-tiktoken)."""
    pieces = re.findall(r" ?[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]+|\s+", json.dumps(value, separators=(",", ":")))
    return round(1.035 * sum(2 if len(piece) > 12 else 1 for piece in pieces))


@pytest.mark.parametrize(("profile", "most"), [("small", 1_400), ("full", 2_700)])
def test_what_a_profile_costs_in_every_prompt(profile: str, most: int) -> None:
    """A model reads names, descriptions and the schemas of arguments; those of replies are for programs."""
    read_by_model = ("name", "description", "inputSchema")
    assert tokens([{name: tool[name] for name in read_by_model} for tool in offer.tools(profile)]) < most


def test_the_small_profile_leaves_out_rare_arguments_and_no_useful_ones() -> None:
    (small,) = (tool for tool in offer.tools("small") if tool["name"] == "memory_search")
    (full,) = (tool for tool in offer.tools("full") if tool["name"] == "memory_search")
    assert set(small["inputSchema"]["properties"]) == {"query", "limit", "tags", "since", "until"}
    assert {"explain", "tokenBudget", "anyTags", "withoutTags"} < set(full["inputSchema"]["properties"])


@either_kind
@pytest.mark.parametrize(
    "error", [InvalidArguments("no", argument="x"), Conflict("no", text="y"), Unavailable("later")]
)
def test_an_error_of_a_tool_is_a_result_with_code_and_details(error: ToolError, current: bool) -> None:
    result = answer(message("tools/call", current, name="memory_search"), error)["result"]
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"]) == error.as_dict() == result["_meta"]["memtools/error"]
    # A client would check it against the schema of the tool's reply.
    assert "structuredContent" not in result


@either_kind
def test_an_error_of_a_resource_is_one_of_the_protocol(current: bool) -> None:
    error = answer(message("resources/read", current, uri="memory://soul"), TooLarge("too large", size=7))["error"]
    assert (error["code"], error["data"]["code"]) == (-32603, "too_large")


@pytest.mark.parametrize("current", [True, False])
def test_a_reply_is_structured_and_a_text(current: bool) -> None:
    reply = Found(results=[]).as_dict()
    result = answer(message("tools/call", current, name="memory_search", arguments={"query": "x"}), reply)["result"]
    assert result["structuredContent"] == json.loads(result["content"][0]["text"]) == reply


def test_arguments_and_key_reach_the_tool_as_they_are() -> None:
    """The tool judges them, so that a model reads what was wrong."""
    meta = {**META, KEY: "k"}
    raw = message("tools/call", current=False, _meta=meta, name="memory_add", arguments=[1])
    opened = Exchange.of(read(json.dumps(raw)), "small").open()
    assert opened == ToolCall("memory_add", [1], "k")
