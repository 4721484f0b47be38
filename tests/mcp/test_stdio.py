"""`memtools mcp`: lines in, lines out, and nothing else."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools.errors import Conflict
from memtools.wire.mcp.exchange import ToolCall
from memtools_cli.commands.mcp import serve
from memtools_cli.failures import Failure, Forbidden, Unavailable

from local.service import Service
from tests.mcp.conftest import arguments, environment

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_search"}}


def conversation(*lines: bytes, run: Any = lambda _: {"results": []}) -> list[dict[str, Any]]:
    """The replies to some lines."""
    sink = io.BytesIO()
    serve(io.BytesIO(b"".join(lines)), sink, run, "small")
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def line(body: Any) -> bytes:
    return json.dumps(body).encode() + b"\n"


def test_what_is_no_message_does_not_end_the_conversation() -> None:
    """Each line gets its own reply; blank lines and notifications get none."""
    huge = b'"' + b"x" * (7 * 1024 * 1024) + b'"\n'
    note = line({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    replies = conversation(b"{\n", b"\n", b" \r\n", note, huge, line([CALL]), b"\xff\n", line(CALL))
    assert [reply.get("error", {}).get("code") for reply in replies] == [-32700, -32600, -32600, -32700, None]
    assert replies[1]["error"]["data"]["code"] == "too_large"


def test_a_last_line_without_an_end_is_answered() -> None:
    assert conversation(line(CALL).rstrip())[0]["id"] == 1


def test_a_reply_is_one_line_whatever_it_contains() -> None:
    """Line separators of all kinds stay inside; half of a surrogate pair is replaced."""
    text = "a\nb\r\nc\u2028d\x85e\ud800"
    sink = io.BytesIO()
    serve(io.BytesIO(line(CALL)), sink, lambda _: {"text": text}, "small")
    assert sink.getvalue().count(b"\n") == 1
    assert json.loads(sink.getvalue().decode())["result"]["structuredContent"]["text"] == text.replace("\ud800", "?")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Conflict("changed", text="x"), "conflict"),
        (Unavailable("Nothing answers there."), "unavailable"),
        (Forbidden("Not signed in."), "unscoped"),
        (Failure("x", "refused"), "fault"),
        (ValueError("marzipan"), "fault"),
    ],
    ids=str,
)
def test_a_failure_is_told_in_the_tools_words(error: Exception, code: str) -> None:
    """It ends one call, not the conversation; a bug is told without its text."""

    def run(_: ToolCall) -> Any:
        raise error

    first, second = conversation(line(CALL), line(CALL), run=run)
    assert first == second
    found = json.loads(first["result"]["content"][0]["text"])
    assert (first["result"]["isError"], found["code"]) == (True, code)
    assert "marzipan" not in json.dumps(first)


@pytest.mark.parametrize(
    ("tool", "key", "retryable"),
    [
        ("memory_search", None, True),
        ("memory_add", None, True),
        ("memory_edit", None, False),
        ("memory_edit", "k", True),
    ],
)
def test_without_an_answer_only_what_is_repeatable_is_sent_again(tool: str, key: str | None, retryable: bool) -> None:
    """A second undo would undo something else, unless both calls have one key."""

    def run(_: ToolCall) -> Any:
        raise Unavailable("Nothing answers there.")

    params = {"name": tool, "_meta": {"memtools/idempotencyKey": key} if key else {}}
    (reply,) = conversation(line({**CALL, "params": params}), run=run)
    found = json.loads(reply["result"]["content"][0]["text"])
    assert (found["code"], found["retryable"]) == ("unavailable", retryable)


def test_the_process_answers_writes_nothing_else_and_ends_with_its_input(running: Service, scope: Scope) -> None:
    """A wrong argument, an unusable key and arguments that are no object are errors that a model can mend."""
    wrong: list[dict[str, Any]] = [
        {"name": "memory_search", "arguments": {"query": 7}},
        {"name": "memory_search", "arguments": [1]},
        {"name": "memory_search", "arguments": {"query": "x"}, "_meta": {"memtools/idempotencyKey": 7}},
    ]
    lines = b"".join(line({**CALL, "params": params}) for params in wrong)
    command = [sys.executable, *arguments(running.url, scope, "small")]
    ended = subprocess.run(command, input=lines, capture_output=True, check=True, env=environment(), timeout=60)
    results = [json.loads(one)["result"] for one in ended.stdout.splitlines()]
    assert len(results) == len(wrong)
    codes = [json.loads(result["content"][0]["text"])["code"] for result in results]
    assert codes == ["invalid_arguments"] * len(wrong)


def test_without_a_memory_s_names_it_does_not_begin(running: Service) -> None:
    """The fault is on standard error, where a client's log has it."""
    command = [sys.executable, "-m", "memtools_cli", "mcp", "--url", running.url]
    ended = subprocess.run(command, input=b"", capture_output=True, check=False, env=environment(), timeout=60)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"--agent" in ended.stderr
