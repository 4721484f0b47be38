"""What other programs remembered comes in by way of the tools. The files here are made up, in the real forms."""

import contextlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain import editing
from memtools.errors import InvalidArguments
from memtools_cli.formats.markdown import texts_of

from local.template import Template
from tests.calls import Caller
from tests.cli.interruptions import Killed
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


def test_memories_of_mem0_keep_their_time_and_expiry(api: Run, ana: Caller, write: Write) -> None:
    ended = api("import", write(LIBRARY))
    assert ended.code == 0
    assert ended.told["facts"] == 2
    assert ended.told["leftOut"] == ["memory 4: it is blank", "memory 3: it has expired"]
    newest, oldest = ana.list()["results"]
    assert (newest["content"], newest["occurredAt"]) == ("Plays the oboe", "2025-07-02T17:00:00Z")
    assert (oldest["content"], oldest["expiresAt"][:10]) == ("Lives in Lisbon", SOON)


def test_categories_of_the_platform_become_tags_and_a_page_is_told_to_be_one(
    api: Run, ana: Caller, write: Write
) -> None:
    ended = api("import", write(PLATFORM))
    assert ended.told["leftOut"] == ["further pages: this is one of several, import each"]
    assert ana.list()["results"][0]["tags"] == ["food", "health"]


@pytest.mark.parametrize("by_line", [False, True])
def test_a_plain_list_of_memories_does_too(api: Run, ana: Caller, write: Write, by_line: bool) -> None:
    assert api("import", write(LIBRARY["results"], by_line=by_line)).told["facts"] == 2


def test_memories_of_several_people_are_not_mixed(api: Run, ana: Caller, write: Write) -> None:
    first, second, *_ = LIBRARY["results"]
    assert api("import", write([first, {**second, "user_id": "bob"}])).code == 2
    assert api("import", write([first]), "--of-user", "bob").code == 2
    assert ana.all() == []
    assert api("import", write([first]), "--of-user", "ana").code == 0


def test_a_graph_becomes_sentences(api: Run, ana: Caller, write: Write) -> None:
    assert api("import", write(GRAPH, by_line=True)).told["facts"] == 4
    found = {one["content"]: one["tags"] for one in ana.list()["results"]}
    assert found == {
        "Ana (person): Plays the oboe": ["person"],
        "Ana (person): Lives in Lisbon": ["person"],
        "Lisbon (city)": ["city"],
        "Ana lives in Lisbon": [],
    }


def test_documents_come_in_entry_by_entry_and_nothing_of_them_is_lost(
    api: Run, ana: Caller, moto: Template, tmp_path: Path
) -> None:
    (tmp_path / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    (tmp_path / "USER.md").write_text("- Speaks Portuguese\n", encoding="utf-8")
    (tmp_path / "SOUL.md").write_text("Be kind.\n", encoding="utf-8")
    (tmp_path / "todo.md").write_text("- Nothing", encoding="utf-8")
    names = moto.environment
    first = api("import", tmp_path)
    assert [one.partition(":")[0] for one in first.told["leftOut"]] == ["todo.md", "SOUL.md"]
    bucket = ("--bucket", names["BUCKET_NAME"])
    ended = api("import", tmp_path, *bucket)
    assert (ended.told["entries"], ended.told["knownEntries"], ended.told["agentDocuments"]) == (0, 7, 1)
    soul = ana.read()["text"]
    assert soul == (
        "## SOUL.md\n\nBe kind.\n\n## USER.md\n\n- Speaks Portuguese\n\n"
        "## MEMORY.md\n\n- How to work\n- Answer briefly,\n  and in French.\n- Habits\n- Reviews on Mondays\n"
        "- Deploys\n  never on Fridays\n- ```\n  make  deploy\n  ```"
    )
    assert api("import", tmp_path, *bucket).code == 0
    (tmp_path / "SOUL.md").write_text("Be cruel.\n", encoding="utf-8")
    assert api("import", tmp_path, *bucket).told["error"]["code"] == "conflict"
    assert ana.read()["text"] == soul


texts = st.text(st.sampled_from("ab -*#\n`1."), min_size=1, max_size=30)


@given(st.lists(texts, min_size=1, max_size=5))
def test_a_document_that_the_tools_made_comes_back_as_its_entries(said: list[str]) -> None:
    document = ""
    for text in said:
        with contextlib.suppress(InvalidArguments):
            document = editing.add(document, text)
    assert texts_of(document) == [entry for entry in editing.entries(document) if entry.strip()]


def test_run_again_after_any_call_it_comes_to_the_same(
    api: Run, ana: Caller, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call to the API here is the last one before the process ends."""
    from memtools_client.http import HttpTransport

    file = write([{**one, "created_at": f"2025-01-0{day}"} for day in (1, 2, 3) for one in [{"memory": f"Fact {day}"}]])
    plain = HttpTransport.send
    left = 0

    def call(*given: Any) -> Any:
        nonlocal left
        answer = plain(*given)
        left -= 1
        if left < 0:
            raise Killed
        return answer

    for calls in range(3):
        left = calls
        with monkeypatch.context() as patch, contextlib.suppress(Killed):
            patch.setattr(HttpTransport, "send", call)
            api("import", file)
        assert ana.all()
    ended = api("import", file)
    assert (ended.told["facts"], ended.told["knownFacts"]) == (0, 3)
    assert ana.all() == ["Fact 3", "Fact 2", "Fact 1"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([{"memory": "One"}, {"text": "Two"}], ""),
        ({"results": ["One"]}, ""),
        ([{"memory": "One\ud800"}], ""),
        ([GRAPH[0], {"type": "entity", "name": "Ana"}], "mcp"),
        ([{"type": "entity", "name": "Ana", "entityType": "person", "observations": [5]}], "mcp"),
        ({"friends": []}, ""),
        ([], ""),
        ("text", "mem0"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_whole(
    *, values: Any, kind: str, api: Run, ana: Caller, write: Write
) -> None:
    ended = api("import", write(values, by_line=kind == "mcp"), *(("--format", kind) if kind else ()))
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert ana.all() == []


def test_a_fact_that_is_too_large_is_told_before_anything_is_written(api: Run, ana: Caller, write: Write) -> None:
    ended = api("import", write([{"memory": "One", "created_at": "2025-01-01"}, {"memory": "x" * 70_000}]))
    assert (ended.code, ended.told["error"]["code"]) == (1, "too_large")
    assert ana.all() == []


def test_it_waits_for_a_store_that_is_out(api: Run, ana: Caller, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtools_client import Unavailable
    from memtools_client.http import HttpTransport

    plain = HttpTransport.send
    out = iter([True, True])

    def call(*given: Any) -> Any:
        if next(out, False):
            raise Unavailable("out")
        return plain(*given)

    monkeypatch.setattr(HttpTransport, "send", call)
    assert api("import", write(GRAPH, by_line=True)).code == 0
