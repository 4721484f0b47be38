"""Anthropic's memory tool, run by its own SDK: the same words for the same commands as its tool over local files."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError
from memtools_client import MemoryClient
from memtools_client.anthropic_memory import AsyncMemoryTool, MemoryTool, Notes

from tests.conftest import example

_ROOT = "/memories"


@pytest.fixture
def tool(client: MemoryClient, notes: Notes) -> MemoryTool:
    return MemoryTool(client, notes)


def run(tool: Any, command: str, **given: Any) -> str:
    """What reaches the model: the result, or the error."""
    try:
        return str(tool.call({"command": command, **given}))
    except ToolError as error:
        return f"error: {error}"


COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories/a.md"},
    {"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\nthree\nfour\nfive\nsix\n"},
    {"command": "create", "path": "/memories/a.md", "file_text": "other"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/a.md", "view_range": [5, -1]},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "four", "new_str": "4\nfour and a half"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "nine", "new_str": "9"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "o", "new_str": "0"},
    {"command": "str_replace", "path": "/memories/b.md", "old_str": "o", "new_str": "0"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero\n"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 8, "insert_text": "end"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": "/memories/b.md", "insert_line": 0, "insert_text": "x"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "create", "path": "/memories/trip/plan.md", "file_text": "no line end"},
    {"command": "insert", "path": "/memories/trip/plan.md", "insert_line": 1, "insert_text": "second"},
    {"command": "view", "path": "/memories/trip/plan.md"},
    {"command": "str_replace", "path": "/memories/trip", "old_str": "o", "new_str": "0"},
    {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/trip/plan.md"},
    {"command": "rename", "old_path": "/memories/no.md", "new_path": "/memories/yes.md"},
    {"command": "rename", "old_path": "/memories/trip", "new_path": "/memories/job/old"},
    {"command": "view", "path": "/memories/job/old/plan.md"},
    {"command": "delete", "path": "/memories/job"},
    {"command": "delete", "path": "/memories/job"},
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories/../../../etc/passwd"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
]


def test_notes_answer_as_the_sdks_own_tool(tool: MemoryTool, tmp_path: Path) -> None:
    """The same commands get the same words as from the SDK's tool over local files."""
    local = BetaLocalFilesystemMemoryTool(str(tmp_path))
    for given in COMMANDS:
        assert run(tool, **given) == run(local, **given), given


@pytest.mark.parametrize("name", ["MEMORY.md", "USER.md"])
def test_documents_answer_as_the_sdks_own_tool(
    tool: MemoryTool, client: MemoryClient, tmp_path: Path, name: str
) -> None:
    """The words are the same, and the text is the one that memory_read returns."""
    local = BetaLocalFilesystemMemoryTool(str(tmp_path))
    path = f"{_ROOT}/{name}"
    for given in COMMANDS[:9] + COMMANDS[10:13] + COMMANDS[14:15]:
        renamed = {**given, **({"path": path} if given["path"] == "/memories/a.md" else {})}
        assert run(tool, **renamed) == run(local, **renamed), given
    text = (tmp_path / "memories" / name).read_text("utf-8")
    assert client.memory_read(target="self" if name == "MEMORY.md" else "user").text == text
    assert run(tool, "delete", path=path) == f"Successfully deleted {path}"
    assert run(tool, "view", path=path).startswith("error: The path")
    assert run(tool, "create", path=path, file_text="# Anew\n").startswith("File created")


def test_a_document_too_large_is_not_created(tool: MemoryTool, client: MemoryClient) -> None:
    """Creating takes two writes: where the second is refused, the first is undone."""
    result = run(tool, "create", path=f"{_ROOT}/MEMORY.md", file_text="first\n" + "x" * 20_000)
    assert result.startswith("error: The document would have")
    assert client.memory_read(target="self").text == ""
    assert run(tool, "create", path=f"{_ROOT}/MEMORY.md", file_text=" \n").startswith("error: A memory document")


def test_a_folder_lists_two_levels(tool: MemoryTool, client: MemoryClient) -> None:
    """Documents and notes with their sizes, hidden ones left out."""
    client.memory_edit("add", text="likes tea")
    for path in ("b.md", "a/deep/er/c.md", "a/d.md", ".hidden"):
        run(tool, "create", path=f"{_ROOT}/{path}", file_text="x" * 1536)
    assert run(tool, "view", path=_ROOT) == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "6.0K\t/memories\n12B\t/memories/MEMORY.md\n3K\t/memories/a/\n1.5K\t/memories/a/d.md\n"
        "1.5K\t/memories/a/deep/\n1.5K\t/memories/b.md"
    )
    assert "a/deep/er/" in run(tool, "view", path=f"{_ROOT}/a/")


@pytest.mark.parametrize(
    "path",
    [
        "/memories-of-others/x.md",
        "/memories/../x.md",
        "/memories/MEMORY.md/x.md",
        None,
    ],
)
def test_no_command_leaves_the_folder(tool: MemoryTool, path: str | None) -> None:
    """Every command checks its path, also one that the model left out."""
    given = {} if path is None else {"path": path}
    for command in ("view", "create", "str_replace", "insert", "delete"):
        parts = {"file_text": "x", "old_str": "x", "new_str": "y", "insert_line": 0, "insert_text": "x"}
        assert run(tool, command, **given, **parts).startswith("error: ")
    assert run(tool, "rename", old_path=path, new_path="/memories/x").startswith("error: ")


def test_names_differ_byte_by_byte(tool: MemoryTool, client: MemoryClient, s3: Any, bucket: str) -> None:
    """Names that look alike are different notes."""
    names = ["a", "a ", "A", "%61", "%2e%2e", "é", "e\u0301", "a.md", "a:b?c"]
    for name in names:
        assert run(tool, "create", path=f"{_ROOT}/{name}", file_text=name).startswith("File created")
    for name in names:
        assert run(tool, "view", path=f"{_ROOT}/{name}").endswith(f"\t{name}")
    folder = f"agents/helper/users/{client.scope.user}/"
    keys = [one["Key"] for one in s3.list_objects_v2(Bucket=bucket, Prefix=folder)["Contents"]]
    assert len(keys) == len(names)
    assert all(key.startswith(f"{folder}notes/") for key in keys)


def test_users_with_similar_names_are_kept_apart(client: MemoryClient, s3: Any, bucket: str) -> None:
    """No agent's or user's name reaches the notes of another."""
    run(MemoryTool(client, Notes(s3, bucket, agent="a", user="ana")), "create", path=f"{_ROOT}/x", file_text="secret")
    for agent, user in (("a", "an"), ("a", "ana/notes"), ("a", ".."), ("a/users/ana", "x"), ("a", "ana%2Fnotes")):
        result = run(MemoryTool(client, Notes(s3, bucket, agent=agent, user=user)), "view", path=_ROOT)
        assert result.endswith("0B\t/memories"), (agent, user)


def test_folders_with_similar_names_are_kept_apart(tool: MemoryTool) -> None:
    """Listing, deleting and renaming a folder leaves those whose names begin like it."""
    for name in ("work", "workshop", "work.old"):
        run(tool, "create", path=f"{_ROOT}/{name}/x", file_text=name)
    assert "workshop" not in run(tool, "view", path=f"{_ROOT}/work")
    run(tool, "delete", path=f"{_ROOT}/work")
    assert run(tool, "view", path=f"{_ROOT}/workshop/x").endswith("\tworkshop")
    assert run(tool, "rename", old_path=f"{_ROOT}/work", new_path=f"{_ROOT}/job").startswith("error: ")
    assert run(tool, "view", path=f"{_ROOT}/work.old/x").endswith("\twork.old")


def test_without_a_new_text_the_old_one_is_deleted(tool: MemoryTool, notes: Notes) -> None:
    """The SDK passes on a command that lacks `new_str`."""
    run(tool, "create", path=f"{_ROOT}/x", file_text="keep this, not that")
    run(tool, "str_replace", path=f"{_ROOT}/x", old_str=", not that")
    file = notes.read(("x",))
    assert file
    assert file.text == "keep this"


def test_files_and_folders_are_not_confused(tool: MemoryTool) -> None:
    """No file takes a folder's place, none is below a file, and documents keep their names."""
    run(tool, "create", path=f"{_ROOT}/a/b", file_text="x")
    assert run(tool, "create", path=f"{_ROOT}/a", file_text="x") == "error: File /memories/a already exists"
    assert run(tool, "create", path=f"{_ROOT}/a/b/c", file_text="x").endswith("/memories/a/b is not a directory.")
    assert run(tool, "rename", old_path=f"{_ROOT}/a", new_path=f"{_ROOT}/a/c").endswith("cannot be moved into itself")
    assert run(tool, "rename", old_path=f"{_ROOT}/a/b", new_path=f"{_ROOT}/USER.md").startswith("error: MEMORY.md and")


def test_concurrent_writes_are_all_kept(client: MemoryClient, notes: Notes) -> None:
    """Five inserts at once into a note and into a document."""

    async def together() -> None:
        tool = AsyncMemoryTool(client, notes)
        for path in ("/memories/log", "/memories/MEMORY.md"):
            await tool.call({"command": "create", "path": path, "file_text": "start\n"})
            line = {"command": "insert", "path": path, "insert_line": 0}
            await asyncio.gather(*(tool.call({**line, "insert_text": f"line {number}"}) for number in range(5)))

    asyncio.run(together())
    file = notes.read(("log",))
    assert file
    wanted = sorted(["start", *(f"line {number}" for number in range(5))])
    assert sorted(file.text.split()) == sorted(" ".join(wanted).split())
    assert sorted(client.memory_read(target="self").text.strip().split("\n")) == wanted


def test_without_notes_there_are_two_documents(client: MemoryClient) -> None:
    """Any other file is refused."""
    result = run(MemoryTool(client), "create", path=f"{_ROOT}/x", file_text="x")
    assert result.startswith("error: There are two files")


def _says(*content: dict[str, Any]) -> dict[str, Any]:
    done = "tool_use" if any(one["type"] == "tool_use" for one in content) else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg", "type": "message", "role": "assistant", "model": "stub", "stop_sequence": None}
    return {**message, "content": list(content), "stop_reason": done, "usage": usage}


def _uses(number: int, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": given}


CONVERSATION = [
    _says(_uses(1, command="view", path="/memories")),
    _says(_uses(2, command="create", path="/memories/USER.md", file_text="- Maya likes tea\n- Maya likes rain\n")),
    _says(_uses(3, command="str_replace", path="/memories/USER.md", old_str="Maya likes", new_str="She likes")),
    _says({"type": "text", "text": "Noted."}),
]
QUESTION: Any = {"model": "stub", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


def _results(received: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    """The tool results as the API got them: the text, and whether it is an error."""
    sent = [request["messages"][-1]["content"][0] for request in received[1:]]
    return [(str(one["content"]), one.get("is_error", False)) for one in sent]


def test_a_conversation_with_a_refused_edit(
    tool: MemoryTool, client: MemoryClient, scripted_api: Callable[..., Any]
) -> None:
    """A refusal is a tool result with is_error, and the document stays as it was."""
    url, received = scripted_api(*CONVERSATION)
    anthropic = Anthropic(api_key="none", base_url=url, max_retries=0)
    final = anthropic.beta.messages.tool_runner(**QUESTION, tools=[tool]).until_done()
    assert final.content[0].type == "text"
    assert received[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    listed, created, refused = _results(received)
    assert not listed[1]
    assert not created[1]
    assert refused[1]
    assert "Multiple occurrences of old_str `Maya likes` in lines: 1, 2" in refused[0]
    assert client.memory_read(target="user").text == "- Maya likes tea\n- Maya likes rain\n"


def test_the_asynchronous_runner_does_the_same(
    client: MemoryClient, notes: Notes, scripted_api: Callable[..., Any]
) -> None:
    """The same conversation with AsyncMemoryTool."""
    url, received = scripted_api(*CONVERSATION)

    async def talk() -> None:
        async with AsyncAnthropic(api_key="none", base_url=url, max_retries=0) as anthropic:
            tool = AsyncMemoryTool(client, notes)
            await anthropic.beta.messages.tool_runner(**QUESTION, tools=[tool]).until_done()

    asyncio.run(talk())
    assert [error for _, error in _results(received)] == [False, False, True]


def test_the_example_of_the_page(
    client: MemoryClient, bucket: str, scripted_api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block on docs/clients.md runs."""
    url, received = scripted_api(CONVERSATION[1], CONVERSATION[3])
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    there: dict[str, Any] = {"memory": client, "bucket": bucket}
    exec(example("docs/clients.md", "import boto3"), there)
    assert there["answer"].content[0].text == "Noted."
    assert [error for _, error in _results(received)] == [False]
    assert "Maya likes tea" in client.memory_read(target="user").text
