"""Tools called from the command line: what is typed arrives, and what goes wrong is told."""

import json
import re
from typing import Any

import pytest
import typer
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session
from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool, Arguments, Reply, Text, Tool
from memtools_cli.app import app
from memtools_cli.commands import tools as commands
from memtools_cli.commands.tools import command_name

from local.service import Service
from local.template import ROOT
from tests.calls import Caller
from tests.cli.aws_stand_in import STACK, StandIn
from tests.cli.worlds import Run

LOCAL = ("--url", "http://127.0.0.1:9", "--agent", "a", "--user", "u")
API = "https://abc123.execute-api.eu-west-1.amazonaws.com"


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What a target is called with."""
    calls: list[tuple[str, Any]] = []

    class Heard:
        def call(self, tool: str, arguments: Any) -> dict[str, Any]:
            calls.append((tool, arguments))
            return {}

    monkeypatch.setattr(commands, "target_of", lambda *_: Heard())
    return calls


def typed(arguments: dict[str, Any], tool: AnyTool) -> list[str]:
    """The arguments as somebody types them."""
    first = next(
        (name for name in tool.argument_names if tool.arguments.model_json_schema().get("required", [])[:1] == [name]),
        "",
    )
    words: list[str] = []
    for name, value in arguments.items():
        flag = "--" + re.sub("([A-Z])", r"-\1", name).lower()
        for one in value if isinstance(value, list) else [value]:
            match one:
                case bool():
                    words.append(flag if one else f"--no-{flag[2:]}")
                case _ if name == first:
                    words.append(str(one))
                case _:
                    words += [flag, str(one)]
    return words


@pytest.mark.parametrize("path", sorted((ROOT / "events" / "direct").glob("*.json")), ids=lambda path: path.stem)
def test_what_is_typed_is_what_arrives(path: Any, bare: Run, arrived: list[tuple[str, Any]]) -> None:
    """For an event of each tool, by its command and by `call`."""
    event = json.loads(path.read_text("utf-8"))
    tool = TOOLS[event["tool"]]
    assert bare(command_name(tool), *typed(event["arguments"], tool)).code == 0
    assert bare("call", tool.name, "--json-args", json.dumps(event["arguments"])).code == 0
    pairs = [
        f"{name}={one if isinstance(one, str) else json.dumps(one)}"
        for name, value in event["arguments"].items()
        for one in (value if isinstance(value, list) and len(value) > 1 else [value])
    ]
    assert bare("call", tool.name, *(word for pair in pairs for word in ("--arg", pair))).code == 0
    assert arrived == [(tool.name, event["arguments"])] * 3


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_every_argument_of_every_tool_can_be_typed(tool: AnyTool, bare: Run) -> None:
    told = bare(command_name(tool), "--help").out
    for name in tool.argument_names:
        assert "--" + re.sub("([A-Z])", r"-\1", name).lower() in told or f" {name.upper()}" in told


def test_a_new_tool_appears_by_itself(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Sing(Arguments):
        songTitle: Text  # noqa: N815

    tool = Tool(
        name="memory_sing_along",
        function="search",
        description="Sing.",
        arguments=Sing,
        reply=Reply,
        run=lambda *_: Reply(),
    )
    monkeypatch.setattr(commands, "TOOLS", {**TOOLS, tool.name: tool})
    fresh = typer.Typer()
    commands.add_to(fresh)
    fresh(["sing-along", "--help"], standalone_mode=False)
    assert "SONGTITLE" in capsys.readouterr().out


def test_no_tool_takes_the_name_of_a_command_or_of_an_option() -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands]  # type: ignore[union-attr]
    assert len(names) == len(set(names)) == len(TOOLS) + 5
    ours = {"agent", "user", "url", "token", "sign", "stack", "functionPrefix", "json"}
    assert [tool.name for tool in TOOLS.values() if ours & set(tool.argument_names)] == []


def test_a_memory_over_http_on_this_machine(api: Run, ana: Caller) -> None:
    added = api("add", "Maya is allergic to walnuts", "--tags", "health")
    assert added.code == 0
    (saved,) = added.told["saved"]
    assert api("search", "walnuts", "--limit", "3").told["results"][0]["id"] == saved["id"]
    assert api("update", saved["id"], "--content", "Maya is allergic to pecans").told["updated"]
    assert ana.all() == ["Maya is allergic to pecans"]
    assert api("edit", "add", "--text", "Brief").told["text"] == "- Brief\n"
    assert api("call", "memory_delete", "--arg", f"traceId={saved['id']}").told["deleted"]


@pytest.mark.parametrize("way", [("--stack", STACK), ("--function-prefix", "memtools-")], ids=["stack", "prefix"])
def test_a_memory_by_its_functions(way: tuple[str, str], bare: Run, aws: StandIn, ana: Caller) -> None:
    """Names that no header can carry are fine there."""
    whose = ("--agent", ana.scope.agent, "--user", "Zoë, 2")
    assert bare("add", "Zoë sings", *way, *whose, "--json").told["message"] == "Saved 1 fact(s) to memory."
    assert [one["content"] for one in bare("list", *way, *whose, "--json").told["results"]] == ["Zoë sings"]
    gone = bare("delete", "mt_none", *way, *whose, "--json")
    assert (gone.code, gone.told["error"]["code"]) == (1, "not_found")


def test_a_prefix_that_fits_two_stacks_is_refused(bare: Run, aws: StandIn) -> None:
    aws.more_functions.append("memtools-SearchFunction-other")
    assert bare("list", "--function-prefix", "memtools-", "--agent", "a", "--user", "u").code == 2
    assert bare("list", "--function-prefix", "other-", "--agent", "a", "--user", "u").code == 1


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (2, ["fly"]),
        (2, ["search"]),
        (2, ["search", "x", "--limit", "many", *LOCAL]),
        (2, ["search", "x"]),
        (2, ["search", "x", "--url", "http://127.0.0.1:9"]),
        (2, ["search", "x", "--url", "http://example.com", "--agent", "a", "--user", "u"]),
        (2, ["search", "x", "--url", "https://example.com", "--agent", "a", "--user", "u"]),
        (2, ["search", "x", "--url", f"{API}.example.com", "--agent", "a", "--user", "u"]),
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
        (2, ["export", "file", "--agent", "a", "--user", "u"]),
        (2, ["import", "no-such-file", "--agent", "a", "--user", "u"]),
        (2, ["erase", "--agent", "a", "--user", "u"]),
        (2, ["doctor"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_done_ends_with_its_code_and_one_line(code: int, arguments: list[str], bare: Run) -> None:
    ended = bare(*arguments)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("memtools: ")
    assert ended.err.count("\n") == 1
    told = bare(*arguments, "--json")
    assert told.told["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["search", " "], 2, "invalid_arguments"),
        (["search", "x", "--limit", "1000"], 2, "invalid_arguments"),
        (["delete", "mt_none"], 1, "not_found"),
        (["edit", "remove", "--text", "none"], 1, "not_found"),
        (["add", "x" * 70_000], 1, "too_large"),
        (["call", "memory_fly"], 1, "not_found"),
        (["call", "memory_list", "--arg", "mood=good"], 2, "invalid_arguments"),
    ],
)
def test_what_a_tool_refuses_ends_with_its_own_word(arguments: list[str], code: int, word: str, api: Run) -> None:
    ended = api(*arguments)
    assert (ended.code, ended.told["error"]["code"]) == (code, word)


Sent = list[AWSPreparedRequest]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """The requests that would leave this machine; each is answered with no results."""
    requests: Sent = []

    class Raw:
        def stream(self, **_: Any) -> Any:
            yield b'{"results": []}'

    def send(_: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
        requests.append(request)
        return AWSResponse(request.url, 200, {}, Raw())  # type: ignore[arg-type]

    monkeypatch.setattr(URLLib3Session, "send", send)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    return requests


def header(request: AWSPreparedRequest, name: str) -> str:
    value = request.headers.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)


def test_a_request_to_the_api_is_signed_for_its_region_with_the_scope(bare: Run, sent: Sent) -> None:
    assert bare("list", "--url", f"{API}/", "--agent", "a", "--user", "u").code == 0
    (request,) = sent
    assert request.url == f"{API}/tools/memory_list"
    signed = header(request, "authorization")
    assert "/eu-west-1/execute-api/aws4_request" in signed
    assert "x-memory-agent;x-memory-user" in signed
    assert (header(request, "x-memory-agent"), header(request, "x-memory-user")) == ("a", "u")


def test_a_token_goes_in_the_place_of_signature_and_names(bare: Run, sent: Sent) -> None:
    assert bare("list", "--url", API, "--agent", "a", "--user", "u", "--token", "t.o.k").code == 0
    (request,) = sent
    assert header(request, "authorization") == "Bearer t.o.k"
    assert header(request, "x-memory-user") == ""


def test_only_who_says_so_signs_for_an_address_of_their_own(
    bare: Run, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    own = ("list", "--url", "https://memory.example.com", "--agent", "a", "--user", "u")
    assert bare(*own).code == 2
    assert sent == []
    assert bare(*own, "--sign").code == 0
    assert "/us-east-1/execute-api/" in header(sent[0], "authorization")


def test_what_a_memory_says_is_shown_and_not_obeyed(running: Service, bare: Run, ana: Caller) -> None:
    ana.remember("Hello \x1b[31mred\x07 [bold]x[/bold] \u202egnidaer")
    shown = bare("list", "--url", running.url, "--agent", ana.scope.agent, "--user", ana.scope.user).out
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert "  content: Hello \\x1b[31mred\\x07 [bold]x[/bold] \\u202egnidaer\n" in shown
