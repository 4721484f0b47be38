"""The four functions as the template wires them, over HTTP and directly."""

import io
import json
import re
from typing import Any

import pytest
from memtools.catalogue import TOOLS
from memtools.current_call import Metric
from memtools.domain.scope import Scope

from local.service import Service, load_handler
from local.template import ROOT, Template
from tests.functions.conftest import Post

FUNCTIONS = {tool.name: f"{tool.function.capitalize()}Function" for tool in TOOLS.values()}
EVENTS = sorted((ROOT / "events").glob("*/*.json"))


def every_tool(post: Post, mark: str) -> None:
    """One life of a memory that calls every tool, successes and refusals, all content marked."""
    ids = [one["id"] for one in post("memory_add", facts=[f"{mark} one", f"{mark} two"]).json()["saved"]]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory_search", {"query": f"{mark} one"}),
        ("memory_search", {"query": "", "tags": [mark]}),
        ("memory_list", {"tags": [mark]}),
        ("memory_list", {"cursor": mark}),
        ("memory_duplicates", {"threshold": 0}),
        ("memory_duplicates", {"threshold": mark}),
        ("memory_update", {"traceId": ids[0], "content": f"{mark} three", "tags": [mark]}),
        ("memory_update", {"traceId": ids[0], "content": f"{mark} four", "version": 1}),
        ("memory_delete", {"traceId": ids[0], "reason": mark}),
        ("memory_restore", {"traceId": ids[0]}),
        ("memory_history", {"traceId": ids[0]}),
        ("memory_merge", {"traceIds": ids, "mergedContent": f"{mark} merged"}),
        ("memory_unmerge", {"survivorId": ids[0]}),
        ("memory_edit", {"action": "add", "text": f"{mark} entry"}),
        ("memory_edit", {"action": "remove", "text": f"{mark} absent"}),
        ("memory_edit", {"action": "replace", "text": mark, "with": f"{mark} {mark}", "target": "user"}),
        ("memory_edit", {"action": "undo"}),
        ("memory_read", {}),
        ("memory_history", {"target": "self"}),
        ("memory_add", {"facts": [mark], mark: mark}),
        ("memory_add", {"facts": [f"{mark}" + "x" * 70_000]}),
    ]
    assert {tool for tool, _ in calls} | {"memory_add"} == set(TOOLS)
    for tool, arguments in calls:
        assert post(tool, **arguments).status_code < 500


def test_a_function_refuses_tools_of_another_one_and_unknown_ones(running: Service, scope: Scope) -> None:
    for tool in ("memory_add", "memory_forget", "__init__"):
        event = {"tool": tool, "arguments": {}, "context": {"agent": scope.agent, "user": scope.user}}
        error = running.handlers["SearchFunction"](event, None)["error"]
        assert error["code"] == "not_found"
        assert error["details"]["tools"] == [
            "memory_search",
            "memory_list",
            "memory_read",
            "memory_history",
            "memory_duplicates",
        ]


@pytest.mark.parametrize("event", [None, [], "x", 7, {}, {"Records": []}, {"requestContext": {}}])
def test_an_event_of_no_known_envelope_is_an_error_that_names_what_is(running: Service, event: Any) -> None:
    for handler in running.handlers.values():
        reply = handler(event, None)
        assert reply["ok"] is False
        assert reply["error"]["code"] == "invalid_arguments"
        assert "HTTP API" in reply["error"]["message"]


def test_the_log_has_a_line_a_call_and_no_content(post: Post, logs: io.StringIO) -> None:
    every_tool(post, "Zanzibar")
    lines = [json.loads(line) for line in logs.getvalue().splitlines()]
    assert {line["tool"] for line in lines} == set(TOOLS)
    assert {line["outcome"] for line in lines} >= {"ok", "invalid_arguments", "not_found", "conflict", "too_large"}
    assert all(line["duration_ms"] >= 0 and line["request_id"] and line["correlation_id"] for line in lines)
    assert "zanzibar" not in logs.getvalue().lower()


def test_a_line_has_the_fields_that_the_page_tells_of_and_no_others(post: Post, logs: io.StringIO) -> None:
    page = (ROOT / "docs" / "security.md").read_text("utf-8").partition("## What is logged")[2].partition("\n## ")[0]
    told = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    every_tool(post, "a fact")
    written = {name for line in logs.getvalue().splitlines() for name in json.loads(line)}
    assert written - {*Metric} <= told
    assert {"tool", "outcome", "duration_ms", "correlation_id"} <= written


def test_each_call_is_measured_by_tool_without_content(
    post: Post, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    post("memory_add", facts=["Zanzibar"])
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    capfd.readouterr()
    post("memory_search", query="Zanzibar")
    post("memory_delete", traceId="mt_none")
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines() if '"_aws"' in line]
    assert [line["tool"] for line in lines] == ["memory_search", "memory_delete"]
    assert (lines[0]["calls"], lines[0]["hits"], lines[1]["not_found"]) == ([1.0], [1.0], [1.0])
    for line in lines:
        assert line["duration"][0] > 0
        assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["tool", "service"], ["service"]]
        assert "zanzibar" not in json.dumps(line).lower()


def test_the_first_call_of_a_process_is_counted_as_a_cold_start(
    running: Service, moto: Template, logs: io.StringIO
) -> None:
    assert running  # its environment
    handler = load_handler(moto.functions["SearchFunction"])
    event = {"tool": "memory_read", "arguments": {}, "context": {"agent": "helper", "user": "ana"}}
    for _ in range(3):
        assert handler(event, None)["ok"]
    lines = [json.loads(line) for line in logs.getvalue().splitlines()]
    assert [line.get("cold_start") for line in lines] == [1, None, None]
