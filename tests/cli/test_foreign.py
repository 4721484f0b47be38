"""What other programs remembered is imported through the tools. The files here are made up, in the real formats."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from memtools_cli import foreign, formats
from memtools_cli.failures import BadUsage

from local.template import Template
from tests.calls import Caller
from tests.cli.worlds import Run

SOON = (datetime.now(UTC) + timedelta(days=400)).date().isoformat()
# As Memory.get_all of mem0ai 2.2.1 returns them.
LIBRARY: dict[str, Any] = {
    "results": [
        {
            "id": "5a3c1e0b-0000-4000-8000-000000000002",
            "memory": "Plays the oboe",
            "hash": "0f",
            "metadata": {"source": "chat"},
            "created_at": "2025-07-02T10:00:00-07:00",
            "updated_at": None,
            "user_id": "ana",
        },
        {
            "id": "5a3c1e0b-0000-4000-8000-000000000001",
            "memory": "Lives in Lisbon",
            "hash": "1f",
            "created_at": "2025-06-01T09:00:00+00:00",
            "updated_at": "2025-06-02T09:00:00+00:00",
            "user_id": "ana",
            "expiration_date": SOON,
        },
        {
            "id": "3",
            "memory": "Has a cold",
            "created_at": "2025-06-01",
            "user_id": "ana",
            "expiration_date": "2025-06-09",
        },
        {"id": "4", "memory": " ", "created_at": None, "user_id": "ana"},
    ]
}
# As MemoryClient.get_all returns them, page by page.
PLATFORM = {
    "count": 3,
    "next": "https://api.example.com/?page=2",
    "previous": None,
    "results": [
        {"id": "1", "memory": "Is a vegetarian", "categories": ["food", "health"], "created_at": "2025-01-05T00:00:00Z"}
    ],
}
# As @modelcontextprotocol/server-memory 2026.8.31 stores them.
GRAPH = [
    {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Plays the oboe", "Lives in Lisbon"]},
    {"type": "entity", "name": "Lisbon", "entityType": "city", "observations": []},
    {"type": "relation", "from": "Ana", "to": "Lisbon", "relationType": "lives_in"},
]
NOTES = """\
# How to work

Answer briefly,
and in French.

## Habits
- Reviews on Mondays
- Deploys
  never on Fridays

```
make  deploy
```
"""
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A file of these values, as one JSON document or one a line."""

    def file(values: Any, *, by_line: bool = False) -> Path:
        path = tmp_path / "file.json"
        text = "\n".join(map(json.dumps, values)) if by_line else json.dumps(values, indent=1)
        path.write_text(text, encoding="utf-8")
        return path

    return file


def test_mem0_through_the_tools(api: Run, ana: Caller, write: Write) -> None:
    """Facts keep their time and expiry; blank and expired ones are left out, and named."""
    ended = api("import", write(LIBRARY))
    assert (ended.code, ended.reply["facts"]) == (0, 2)
    assert sorted(ended.reply["leftOut"]) == [
        "memory 1: `metadata` is not kept",
        "memory 3: it has expired",
        "memory 4: it is blank",
    ]
    newest, oldest = ana.list()["results"]
    assert (newest["content"], newest["occurredAt"]) == ("Plays the oboe", "2025-07-02T17:00:00Z")
    assert (oldest["content"], oldest["expiresAt"][:10]) == ("Lives in Lisbon", SOON)


def test_mem0_platform_pages(write: Write) -> None:
    """Categories become tags, and a page with others behind it says so."""
    plan = formats.read(write(PLATFORM), "mem0")
    assert [str(one) for one in plan.left_out] == ["further pages: this is one of several pages, import each"]
    assert [arguments["tags"] for arguments in plan.calls] == [["food", "health"]]


@pytest.mark.parametrize("by_line", [False, True])
def test_mem0_lists(write: Write, by_line: bool) -> None:
    file = write(LIBRARY["results"], by_line=by_line)
    assert formats.format_of(file) == "mem0"
    assert formats.read(file, "mem0").calls == formats.read(write(LIBRARY), "mem0").calls


def test_users_are_not_mixed(write: Write) -> None:
    first, second, *_ = LIBRARY["results"]
    one = formats.read(write([first]), "mem0")
    foreign.require_user(one, "ana")
    with pytest.raises(BadUsage):
        foreign.require_user(one, "bob")
    with pytest.raises(BadUsage):
        foreign.require_user(formats.read(write([first, {**second, "user_id": "bob"}]), "mem0"), None)


def test_a_graph_becomes_sentences(write: Write) -> None:
    plan = formats.read(write(GRAPH, by_line=True), "mcp")
    assert [(fact, call["tags"]) for call in plan.calls for fact in call["facts"]] == [
        ("Ana (person): Plays the oboe", ["person"]),
        ("Ana (person): Lives in Lisbon", ["person"]),
        ("Lisbon (city)", ["city"]),
        ("Ana lives in Lisbon", []),
    ]


def test_documents_come_in_entry_by_entry(api: Run, ana: Caller, moto: Template, tmp_path: Path) -> None:
    """Nothing of them is lost, and an agent's document is stored only where there is none."""
    (tmp_path / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    (tmp_path / "USER.md").write_text("- Speaks Portuguese\n", encoding="utf-8")
    (tmp_path / "SOUL.md").write_text("Be kind.\n", encoding="utf-8")
    (tmp_path / "todo.md").write_text("- Nothing", encoding="utf-8")
    names = moto.environment
    first = api("import", tmp_path)
    assert [one.partition(":")[0] for one in first.reply["leftOut"]] == ["SOUL.md"]
    assert ana.all() == ["Nothing"]
    bucket = ("--bucket", names["BUCKET_NAME"])
    ended = api("import", tmp_path, *bucket)
    assert (ended.reply["entries"], ended.reply["knownEntries"], ended.reply["agentDocuments"]) == (0, 5, 1)
    soul = ana.read()["text"]
    assert soul == (f"## SOUL.md\n\nBe kind.\n\n## USER.md\n\n- Speaks Portuguese\n\n## MEMORY.md\n\n{NOTES.strip()}")
    assert api("import", tmp_path, *bucket).code == 0
    (tmp_path / "SOUL.md").write_text("Be cruel.\n", encoding="utf-8")
    assert api("import", tmp_path, *bucket).reply["error"]["code"] == "conflict"
    assert ana.read()["text"] == soul


def test_an_import_is_run_again(api: Run, ana: Caller, write: Write) -> None:
    """What a first run stored is recognised, and the rest is added."""
    memories = [{"memory": f"Fact {day}", "created_at": f"2025-01-0{day}"} for day in (1, 2, 3)]
    assert api("import", write(memories[:2])).reply["facts"] == 2
    ended = api("import", write(memories))
    assert (ended.reply["facts"], ended.reply["knownFacts"]) == (1, 2)
    assert ana.all() == ["Fact 3", "Fact 2", "Fact 1"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"results": ["One"]}, ""),
        ([{"memory": "One\ud800"}], ""),
        ([{"type": "entity", "name": "Ana"}], "mcp"),
        ([{"type": "entity", "name": "Ana", "entityType": "person", "observations": [5]}], "mcp"),
        ({"friends": []}, ""),
        ([], ""),
        ("text", "mem0"),
    ],
)
def test_an_unknown_file_is_refused(values: Any, kind: str, write: Write) -> None:
    """Reading and checking come before the first call, so nothing of it is imported."""
    file = write(values, by_line=kind == "mcp")
    with pytest.raises(BadUsage):
        formats.read(file, kind or formats.format_of(file))
