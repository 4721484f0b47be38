"""Memories of other programs, a sample of each format made up in its documented shape, and what becomes of it."""

import gzip
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from memtools_cli import formats
from memtools_cli.formats.plan import Plan

from tests.calls import Caller
from tests.cli.worlds import Run

Fact = tuple[str, list[str], str]  # text, tags, day


def facts(plan: Plan) -> list[Fact]:
    return [(text, call["tags"], call.get("occurredAt", "")[:10]) for call in plan.calls for text in call["facts"]]


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "."), data)
    return out.getvalue()


def line(**values: Any) -> bytes:
    return json.dumps(values).encode() + b"\n"


LINES = """\
# Preferences
[2026-05-01] - Likes C# and F#
- [2026-05] - Moved to Lisbon
[unknown] - Plays the oboe
[2026-02-30] — Has a sister
  called Bo
"""
ASSISTANT = "Here is all that I know:\n\n```\n[2026-05-01] - Sings alto\n```\n\nThat is all.\n"
OPEN_MEMORY = zipped(
    memories__json=json.dumps({"user": {}, "memories": []}).encode(),
    memories__jsonl__gz=gzip.compress(
        line(id="1", content="Sings", state="active", created_at="2026-05-01T08:00:00+00:00", categories=["music"])
        + line(id="2", content="Sang bass", state="deleted", categories=[])
        + line(id="3", content="Away", state="paused", metadata={"a": 1}, categories=[])
    ),
)
GRAPH = {
    "entities": [{"name": "Ana", "entityType": "person", "observations": ["Sings", " "]}],
    "relations": [{"from": "Ana", "to": "Bo", "relationType": "is_sister_of", "weight": 0.5}],
}
LETTA = {
    "agents": [{"name": "helper", "messages": [{"role": "user"}]}],
    "blocks": [{"label": "human", "value": "Name: Ana\n\nSings alto", "limit": 2000}, {"label": "empty", "value": ""}],
    "tools": [{"name": "send_message"}],
}
PASSAGES = [
    {"id": "p-1", "text": "Sings", "tags": ["music"], "created_at": "2026-05-01T00:00:00Z", "is_deleted": False},
    {"id": "p-2", "text": "Sang", "created_at": "2026-05-01T00:00:00Z", "is_deleted": True},
]
STORE = [
    {"namespace": ["memories", "ana"], "key": "1", "value": {"data": "Sings"}, "created_at": "2026-05-01T00:00:00Z"},
    {"namespace": ["m"], "key": "2", "value": {"kind": "Memory", "content": {"content": "Alto"}}},
    {"namespace": ["m"], "key": "3", "value": {"color": "red"}},
]
CHATGPT = [
    {
        "title": "Music",
        "mapping": {
            "a": {"message": None},
            "b": {"message": {"author": {"role": "user"}, "recipient": "all", "content": {"parts": ["Hello"]}}},
            "c": {"message": {"recipient": "bio", "create_time": 1777593600.5, "content": {"parts": ["Sings alto."]}}},
        },
    }
]
CLAUDE = [
    {
        "conversations_memory": "**Work**\n\nAna teaches.\n\n**Music**\n\n- Sings alto\n- Plays oboe\n",
        "project_memories": {"p1": "The choir's site."},
        "account_uuid": "u",
    }
]
CSV = 'When,What,Labels,Mood\n2026-05-01,"Likes ""C#"",\nand tea","a, b",good\n'

# By name: the file, its content, its format, its facts, and what is left out.
SAMPLES: dict[str, tuple[str, bytes, str, list[Fact], list[str]]] = {
    "lines": (
        "memories.txt", LINES.encode(), "lines",
        [
            ("Likes C# and F#", ["Preferences"], "2026-05-01"),
            ("Moved to Lisbon", ["Preferences"], "2026-05-01"),
            ("Plays the oboe", ["Preferences"], ""),
            ("Has a sister\ncalled Bo", ["Preferences"], ""),
        ],
        ["line 4, date `unknown`", "line 5, date `2026-02-30`"],
    ),
    "an assistant's answer": (
        "answer.md", ASSISTANT.encode(), "lines", [("Sings alto", [], "2026-05-01")], ["line 1", "line 7"],
    ),
    "OpenMemory": ("export.zip", OPEN_MEMORY, "mem0", [("Sings", ["music"], "2026-05-01")], ["line 2", "line 3"]),
    "read_graph": (
        "graph.json", json.dumps(GRAPH).encode(), "mcp",
        [("Ana (person): Sings", ["person"], ""), ("Ana is sister of Bo", [], "")],
        ["entity 1, observation 2", "relation 1"],
    ),
    "read_graph in an MCP answer": (
        "answer.json", line(content=[{"type": "text", "text": json.dumps({**GRAPH, "relations": []})}]), "mcp",
        [("Ana (person): Sings", ["person"], "")], ["entity 1, observation 2"],
    ),
    "Letta's agent file": (
        "agent.af", json.dumps(LETTA).encode(), "letta",
        [("Name: Ana", ["human"], ""), ("Sings alto", ["human"], "")],
        ["agent 1, messages", "`tools`"],
    ),
    "Letta's archive": (
        "passages.json", json.dumps(PASSAGES).encode(), "letta", [("Sings", ["music"], "2026-05-01")], ["passage 2"],
    ),
    "LangGraph": (
        "store.json", json.dumps(STORE).encode(), "langgraph",
        [("Sings", ["memories", "ana"], "2026-05-01"), ("Alto", ["m"], ""), ('{"color": "red"}', ["m"], "")], [],
    ),
    "ChatGPT": ("chatgpt.zip", zipped(conversations__json=json.dumps(CHATGPT).encode()), "chatgpt",
        [("Sings alto.", [], "2026-05-01")], [],
    ),
    "Claude": (
        "claude.zip", zipped(memories__json=json.dumps(CLAUDE).encode()), "claude",
        [
            ("Ana teaches.", ["Work"], ""), ("Sings alto", ["Music"], ""), ("Plays oboe", ["Music"], ""),
            ("The choir's site.", ["project"], ""),
        ],
        [],
    ),
    "CLAUDE.md": (
        "CLAUDE.md", b"# Build\n\n- Run `make` # always\n\n@docs/style.md\n", "markdown",
        [("Run `make` # always", ["Build"], "")], ["CLAUDE.md, line 5"],
    ),
    "a note with front matter": (
        "2026-05-01.md", b"---\ntags: [music, choir]\nalias: x\n---\nSings with [[Bo]]\n", "markdown",
        [("Sings with [[Bo]]", ["music", "choir"], "2026-05-01")], ["2026-05-01.md, front matter `alias`"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "with a byte order mark"])
def test_what_becomes_of_a_sample(name: str, mark: bytes, tmp_path: Path) -> None:
    """The format is recognised, text and dates are kept, everything left out is named."""
    file, data, kind, expected, left_out = SAMPLES[name]
    path = tmp_path / file
    path.write_bytes(data if data.startswith(b"PK") else mark + data)
    assert formats.format_of(path) == kind
    plan = formats.read(path, kind)
    assert sorted(facts(plan)) == sorted(expected)
    assert [one.what for one in plan.left_out] == left_out


def test_a_month_is_its_first_day_and_said(tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("[2026-05] - Moved", "utf-8")
    assert formats.read(tmp_path / "m.txt", "lines").understood == ["line 1: `2026-05` is taken as 2026-05-01"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_marks_of_other_encodings(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_bytes("[2026-05-01] - 日本 é".encode(encoding))
    assert facts(formats.read(tmp_path / "m.txt", "lines")) == [("日本 é", [], "2026-05-01")]


def test_a_table_has_a_map_of_columns(api: Run, ana: Caller, tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(CSV, "utf-8", newline="")
    refused = api("import", file)
    assert (refused.code, "When, What" in refused.reply["error"]["message"]) == (2, True)
    ended = api("import", file, "--columns", "text=What,date=When,tags=Labels")
    assert ended.reply["leftOut"] == ["row ending in line 3: column `Mood` is not kept"]
    [trace] = ana.list()["results"]
    assert (trace["content"], trace["tags"], trace["occurredAt"]) == (
        'Likes "C#",\nand tea',
        ["a", "b"],
        "2026-05-01T00:00:00Z",
    )


def test_a_folder_with_others_in_it(tmp_path: Path) -> None:
    """Sub-folders are read, hidden ones and other files named."""
    for name in ("memory/2026-05-01.md", "People/Bo.md", ".obsidian/app.md", "picture.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Sings", "utf-8")
    plan = formats.read(tmp_path, "markdown")
    assert facts(plan) == [("Sings", ["Bo"], ""), ("Sings", [], "2026-05-01")]
    assert [one.what for one in plan.left_out] == [".obsidian", "picture.png"]


def test_what_is_good_is_taken_unless_strict(api: Run, ana: Caller, tmp_path: Path) -> None:
    """A line that is no JSON, a text that is too long: named, counted by reason; --strict writes nothing."""
    file = tmp_path / "m.jsonl"
    file.write_bytes(line(memory="One") + b"{broken\n" + line(memory="x" * 70_000) + line(memory="y" * 70_000))
    assert api("import", file, "--strict").code == 1
    assert ana.all() == []
    ended = api("import", file)
    assert (ended.code, ended.reply["facts"], sorted(ended.reply["leftOutByReason"].values())) == (0, 1, [1, 2])
    assert ana.all() == ["One"]


def test_a_dry_run_writes_nothing(bare: Run, tmp_path: Path) -> None:
    """It needs no memory to write to."""
    (tmp_path / "m.txt").write_text(LINES, "utf-8")
    ended = bare("import", tmp_path / "m.txt", "--dry-run", "--json")
    assert (ended.code, ended.reply["becomes"][0]) == (0, {"what": "line", "becomes": "fact", "count": 4})
    shown = bare("import", tmp_path / "m.txt", "--dry-run").out
    assert "line 5, date `2026-02-30`" in shown


def test_twenty_are_named_for_people(bare: Run, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("".join(f"[unknown] - Fact {number}\n" for number in range(25)), "utf-8")
    shown = bare("import", tmp_path / "m.txt", "--dry-run").out
    assert ("line 20, date" in shown, "line 21, date" in shown, "and 5 more" in shown) == (True, False, True)
    assert len(bare("import", tmp_path / "m.txt", "--dry-run", "--json").reply["leftOut"]) == 25


def test_standard_input_and_output(
    api: Run, run: Run, ana: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[2026-05-01] - One\n")))
    assert api("import", "-").reply["facts"] == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfTwo\n\nThree\n")))
    assert api("add", "-").code == 0
    assert sorted(ana.all()) == ["One", "Three", "Two"]
    out = run("export", "-", "--agent", ana.scope.agent, "--user", ana.scope.user).out
    assert json.loads(out.splitlines()[-1])["traces"] == 3
    assert list(tmp_path.iterdir()) == []
