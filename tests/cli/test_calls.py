"""Tools called from the command line: what is typed arrives, and every failure has its exit code and its line."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
import typer
from memtools_cli import connection
from memtools_cli.app import app
from memtools_cli.commands import tools as commands
from memtools_cli.commands.tools import command_name
from memtools_client.http import HttpConnection
from memtools_client.specs import specs
from memtools_client.wire import Scope

from local.service import Service
from local.template import ROOT
from tests.calls import Caller
from tests.cli.aws_stand_in import STACK, StandIn
from tests.cli.worlds import Run

SPECS = {spec["name"]: spec["input_schema"] for spec in specs()}
WHO = ("--agent", "a", "--user", "u")
LOCAL = ("--url", "http://127.0.0.1:9", *WHO)
API = "https://abc123.execute-api.eu-west-1.amazonaws.com"


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What tools are called with."""
    calls: list[tuple[str, Any]] = []

    def call(client: object, tool: str, arguments: Any) -> dict[str, Any]:
        calls.append((tool, arguments))
        return {}

    monkeypatch.setattr(connection, "call", call)
    return calls


def flag(name: str) -> str:
    return "--" + re.sub("([A-Z])", r"-\1", name).lower()


def typed(arguments: dict[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """The arguments as somebody types them."""
    words: list[str] = []
    for name, value in arguments.items():
        for one in value if isinstance(value, list) else [value]:
            match one:
                case bool():
                    words.append(flag(name) if one else f"--no-{flag(name)[2:]}")
                case _ if name in schema.get("required", [])[:1]:
                    words.append(str(one))
                case _:
                    words += [flag(name), str(one)]
    return words


@pytest.mark.parametrize("path", sorted((ROOT / "events" / "direct").glob("*.json")), ids=lambda path: path.stem)
def test_typed_arguments_arrive(path: Any, bare: Run, arrived: list[tuple[str, Any]]) -> None:
    """An event of each tool arrives the same by the tool's command, by `--json-args` and by `--arg`."""
    event = json.loads(path.read_text("utf-8"))
    tool, arguments = event["tool"], event["arguments"]
    assert bare(command_name(tool), *typed(arguments, SPECS[tool]), *LOCAL).code == 0
    assert bare("call", tool, "--json-args", json.dumps(arguments), *LOCAL).code == 0
    pairs = [
        f"{name}={one if isinstance(one, str) else json.dumps(one)}"
        for name, value in arguments.items()
        for one in (value if isinstance(value, list) and len(value) > 1 else [value])
    ]
    assert bare("call", tool, *(word for pair in pairs for word in ("--arg", pair)), *LOCAL).code == 0
    assert arrived == [(tool, arguments)] * 3


@pytest.mark.parametrize("tool", SPECS)
def test_every_argument_is_an_option(tool: str, bare: Run) -> None:
    shown = bare(command_name(tool), "--help").out
    for name in SPECS[tool]["properties"]:
        assert flag(name) in shown or f" {name.upper()}" in shown


def test_a_new_tool_becomes_a_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "properties": {"songTitle": {"type": "string"}}, "required": ["songTitle"]}
    new = {"name": "memory_sing_along", "description": "Sing.", "input_schema": schema}
    monkeypatch.setattr(commands, "specs", lambda: [*specs(), new])
    fresh = typer.Typer()
    commands.add_to(fresh)
    fresh(["sing-along", "--help"], standalone_mode=False)
    assert "SONGTITLE" in capsys.readouterr().out


def test_tools_collide_with_no_command_or_option() -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands]  # type: ignore[union-attr]
    assert len(names) == len(set(names)) == len(SPECS) + 7
    ours = {"agent", "user", "url", "token", "sign", "stack", "functionPrefix", "json"}
    assert [tool for tool, schema in SPECS.items() if ours & set(schema["properties"])] == []


def test_over_http(api: Run, ana: Caller) -> None:
    """A fact added through the local service is found, and deleted by its id."""
    (saved,) = api("add", "Maya is allergic to walnuts", "--tags", "health").reply["saved"]
    assert api("search", "walnuts", "--limit", "3").reply["results"][0]["id"] == saved["id"]
    assert ana.all() == ["Maya is allergic to walnuts"]
    assert api("call", "memory_delete", "--arg", f"traceId={saved['id']}").reply["deleted"]


@pytest.mark.parametrize("way", [("--stack", STACK), ("--function-prefix", "memtools-")], ids=["stack", "prefix"])
def test_by_invoke(way: tuple[str, str], bare: Run, aws: StandIn, ana: Caller) -> None:
    """Functions are found by stack or prefix, take names that no header can carry, and refuse with their own words."""
    who = ("--agent", ana.scope.agent, "--user", "Zoë, 2", "--json")
    assert bare("add", "Zoë sings", *way, *who).reply["message"] == "Saved 1 fact(s) to memory."
    gone = bare("delete", "mt_none", *way, *who)
    assert (gone.code, gone.reply["error"]["code"]) == (1, "not_found")


def test_a_prefix_has_to_match_one_stack(bare: Run, aws: StandIn) -> None:
    aws.more_functions.append("memtools-SearchFunction-other")
    assert bare("list", "--function-prefix", "memtools-", *WHO).code == 2
    assert bare("list", "--function-prefix", "other-", *WHO).code == 1


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (2, ["fly"]),
        (2, ["search"]),
        (2, ["search", "x", "--limit", "many", *LOCAL]),
        (2, ["search", "x"]),
        (2, ["search", "x", "--url", "http://127.0.0.1:9"]),
        (2, ["search", "x", "--url", "http://example.com", *WHO]),
        (2, ["search", "x", "--url", "https://example.com", *WHO]),
        (2, ["search", "x", "--url", f"{API}.example.com", *WHO]),
        (2, ["search", "x", "--url", "https://me:secret@example.com", "--token", "t"]),
        (2, ["search", "x", "--url", "http://[", "--token", "t"]),
        (2, ["search", "x", "--url", API, "--token", "a\nb"]),
        (2, ["search", "x", "--url", API, "--stack", "s"]),
        (2, ["search", "x", *LOCAL[:4], "--user", "Zoë"]),
        (2, ["search", "x", *LOCAL[:4], "--user", "a\r\nx-memory-user: b"]),
        (2, ["search", "x", *LOCAL[:4], "--user", "a,b"]),
        (2, ["call", "memory_search", "--json-args", "{", *LOCAL]),
        (2, ["call", "memory_search", "--json-args", "[]", *LOCAL]),
        (2, ["call", "memory_search", "--arg", "query", *LOCAL]),
        (2, ["call", "memory_search", "--arg", "query=a", "--json-args", "{}", *LOCAL]),
        (3, ["search", "x", *LOCAL]),
        (2, ["export", "file", *WHO, "--table", "t"]),
        (2, ["export", "file", *WHO, "--data", "folder", "--stack", "s"]),
        (2, ["import", "no-such-file", *WHO]),
        (2, ["erase", *WHO]),
        (2, ["doctor", "--data", "folder", "--url", API]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_failure_is_a_code_and_one_line(code: int, arguments: list[str], bare: Run) -> None:
    ended = bare(*arguments)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("memtools: ")
    assert ended.err.count("\n") == 1
    assert bare(*arguments, "--json").reply["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["search", " "], 2, "invalid_arguments"),
        (["delete", "mt_none"], 1, "not_found"),
        (["add", "x" * 70_000], 1, "too_large"),
        (["call", "memory_fly"], 1, "not_found"),
        (["call", "../memory_fly?x"], 1, "not_found"),
    ],
)
def test_a_tools_error_keeps_its_code(arguments: list[str], code: int, word: str, api: Run) -> None:
    ended = api(*arguments)
    assert (ended.code, ended.reply["error"]["code"]) == (code, word)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, str], Scope]]:
    """The headers of requests that would leave this machine, with their scopes."""
    requests: list[tuple[dict[str, str], Scope]] = []

    def send(self: HttpConnection, tool: str, arguments: Any, scope: Scope, key: str) -> Mapping[str, Any]:
        headers = self._authorization.headers(f"{self._url}/tools/{tool}", b"", {})
        requests.append((dict(headers), scope))
        return {"results": []}

    monkeypatch.setattr(HttpConnection, "send", send)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return requests


@pytest.mark.parametrize(
    ("options", "authorization"),
    [
        (("--url", API), "/eu-west-1/execute-api/aws4_request"),
        (("--url", "https://memory.example.com", "--sign"), "/us-east-1/execute-api/"),
        (("--url", API, "--token", "t.o.k"), "Bearer t.o.k"),
    ],
)
def test_requests_carry_what_the_options_say(
    options: tuple[str, ...], authorization: str, bare: Run, sent: list[tuple[dict[str, str], Scope]]
) -> None:
    """A signature for the API's region or one's own, or a token, which also names the user."""
    assert bare("list", *options, *WHO).code == 0
    [(headers, scope)] = sent
    assert authorization in next(value for name, value in headers.items() if name.lower() == "authorization")
    assert scope == (Scope() if "--token" in options else Scope(user="u", agent="a"))


def test_a_memory_is_shown_and_not_obeyed(running: Service, bare: Run, ana: Caller) -> None:
    """Control characters and marks that reverse text come out as escapes."""
    ana.remember("Hello \x1b[31mred\x07 [bold]x[/bold] \u202egnidaer")
    shown = bare("list", "--url", running.url, "--agent", ana.scope.agent, "--user", ana.scope.user).out
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert "  content: Hello \\x1b[31mred\\x07 [bold]x[/bold] \\u202egnidaer\n" in shown
