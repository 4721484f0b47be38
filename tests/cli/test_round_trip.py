"""An export put into an empty memory makes the same memory."""

import json
from pathlib import Path
from typing import Any

import pytest
from memtools.adapters.table.layout import from_dynamodb, trace_of
from memtools.adapters.table.statements import held_text
from memtools.domain.scope import Scope

from local.template import Template
from tests.calls import Caller
from tests.cli.worlds import Run, client, lines, live_a_life, whose
from tests.fakes import FakeClock
from tests.memories import over_adapters


def items_of(scope: Scope, moto: Template) -> list[dict[str, Any]]:
    """The scope's items but for where they stand."""
    answer = client("dynamodb").query(
        TableName=moto.environment["TABLE_NAME"],
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": scope.key}},
    )
    assert "LastEvaluatedKey" not in answer
    return [{name: value for name, value in from_dynamodb(item).items() if name != "pk"} for item in answer["Items"]]


def test_a_mixed_memory_comes_back_the_same_under_another_name(ana: Caller, run: Run, tmp_path: Path) -> None:
    live_a_life(ana, 36, quiet=165)
    first, second = tmp_path / "first", tmp_path / "second"
    other = Scope(ana.scope.agent, "ana/2 %")
    assert run("export", first, *whose(ana.scope)).code == 0
    imported = run("import", first, *whose(other))
    assert imported.code == 0
    assert run("export", second, *whose(other)).code == 0
    assert first.read_bytes() == second.read_bytes()
    assert {line["kind"] for line in lines(first)} == {"memtools-export", "trace", "history", "document", "end"}
    assert imported.told["traces"] > 200
    traces = [line for line in lines(first) if line["kind"] == "trace"]
    assert {trace["status"] for trace in traces} == {"live", "deleted", "merged"}
    assert {"updated", "merged", "merged_away", "unmerged", "deleted", "added"} <= {one["change"] for one in traces}


def test_erased_and_imported_again_all_is_as_it_was(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    """But for the time of the change, which searches go by, and which the export tells all the same."""
    live_a_life(ana, 18)
    first, second = tmp_path / "first", tmp_path / "second"
    assert run("export", first, *whose(ana.scope)).code == 0
    before = [item for item in items_of(ana.scope, moto) if item.keys() != {"sk"}]
    assert run("erase", *whose(ana.scope), "--yes", "--receipt", tmp_path / "receipt").code == 0
    assert items_of(ana.scope, moto) == []
    assert run("import", first, *whose(ana.scope)).code == 0
    assert run("export", second, *whose(ana.scope)).code == 0
    assert first.read_bytes() == second.read_bytes()
    later = [{**item, "changedAt": 0} | {"imported": 0} for item in items_of(ana.scope, moto)]
    assert later == [{**item, "changedAt": 0} | {"imported": 0} for item in before]


def test_every_text_that_is_held_is_known_to_be_held(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    """In a scope of another name no id is the key of its text: adding a fact again still meets who holds it."""
    live_a_life(ana, 18)
    other = Scope(ana.scope.agent, "other")
    assert run("export", tmp_path / "file", *whose(ana.scope)).code == 0
    assert run("import", tmp_path / "file", *whose(other)).code == 0
    traces = {trace.id: trace for item in items_of(other, moto) if "id" in item for trace in [trace_of(item)]}
    holders = {
        (item["sk"].removeprefix("trace#"), name)
        for item in items_of(other, moto)
        for name in item.get("claimedBy", ())
    }
    assert holders == {(key, name) for name, trace in traces.items() if (key := held_text(other, trace))}
    them = Caller(ana.memory, other)
    live = [trace for trace in traces.values() if trace.live]
    added = them.add(facts=[trace.content.upper() for trace in live])
    assert added["saved"] == []
    assert [one["id"] for one in added["duplicates"]] == [trace.id for trace in live]


def test_an_imported_memory_goes_on_living(ana: Caller, run: Run, tmp_path: Path) -> None:
    """Merges can be undone, deletions taken back, documents have their versions, changes are exported as of now."""
    one, two, three = ana.remember("The oboe is hers", "She plays the oboe", "She left")
    ana.merge(traceIds=[one, two])
    ana.delete(traceId=three)
    ana.edit(action="add", text="Brief")
    ana.edit(action="add", text="Kind")
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    run("export", tmp_path / "file", *whose(ana.scope))
    assert run("import", tmp_path / "file", *whose(other.scope)).code == 0
    assert other.history(traceId=one)["versions"][1]["content"] == "The oboe is hers"
    assert other.unmerge(survivorId=one)["restoredIds"] == [two]
    assert other.restore(traceId=three)["restored"]
    assert len(other.history(target="self")["versions"]) == 2
    assert other.edit(action="undo")["text"] == "- Brief\n"
    assert sorted(other.all()) == sorted(["The oboe is hers", "She plays the oboe", "She left"])
    assert run("export", tmp_path / "later", *whose(other.scope)).code == 0
    changed = {line["id"]: line["changedAt"] for line in lines(tmp_path / "later") if line["kind"] == "trace"}
    assert changed[one] > max(line.get("changedAt", "") for line in lines(tmp_path / "file"))


def test_who_searched_the_empty_scope_before_finds_what_was_imported(
    ana: Caller, run: Run, moto: Template, tmp_path: Path, clock: FakeClock
) -> None:
    """A function that is warm reads only what changed since: an import has to be such a change."""
    ana.remember("The oboe is hers")
    run("export", tmp_path / "file", *whose(ana.scope))
    from memtools.wiring import SystemClock

    names = moto.environment
    memory = over_adapters(client("dynamodb"), client("s3"), names, SystemClock())
    warm = Caller(memory, Scope(ana.scope.agent, "other"))
    assert warm.all() == []
    assert run("import", tmp_path / "file", *whose(warm.scope)).code == 0
    assert warm.contents("oboe") == ["The oboe is hers"]


def test_what_an_operator_did_to_documents_comes_along(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    """Versions from outside, a deletion between two versions, bytes that are no text, a file of another name."""
    s3, bucket = client("s3"), moto.environment["BUCKET_NAME"]
    folder = f"agents/{ana.scope.agent_path}/users/{ana.scope.user_path}/"
    ana.edit(action="add", text="Brief")
    s3.delete_object(Bucket=bucket, Key=folder + "MEMORY.md")
    s3.put_object(Bucket=bucket, Key=folder + "MEMORY.md", Body=b"\xff\xfe")
    s3.put_object(Bucket=bucket, Key=folder + "notes/old.md", Body=b"")
    other = Scope(ana.scope.agent, "other")
    run("export", tmp_path / "first", *whose(ana.scope))
    assert run("import", tmp_path / "first", *whose(other)).code == 0
    run("export", tmp_path / "second", *whose(other))
    documents = [line for line in lines(tmp_path / "first") if line["kind"] == "document"]
    assert [sorted(line) for line in documents] == [
        ["edit", "first", "kind", "name", "text", "writes", "writtenAt"],
        ["deleted", "kind", "name"],
        ["base64", "kind", "name", "writtenAt"],
        ["kind", "name", "text", "writtenAt"],
    ]
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_an_empty_memory_is_an_export_too(ana: Caller, run: Run, tmp_path: Path) -> None:
    assert run("export", tmp_path / "file", *whose(ana.scope)).code == 0
    assert run("import", tmp_path / "file", *whose(ana.scope)).told["traces"] == 0


def broken(text: str) -> dict[str, str]:
    """Ways in which an export can be damaged."""
    first, *rest = text.split("\n")
    trace = json.loads(rest[0])
    return {
        "cut off": text[: len(text) // 2],
        "cut at a line": "\n".join([first, *rest[:2], ""]),
        "without an end": "\n".join([first, *rest[:-2], ""]),
        "without a line": "\n".join([first, *rest[1:]]),
        "a line twice": "\n".join([first, rest[0], *rest]),
        "a line of something else": "\n".join([first, '{"kind": "friend"}', *rest]),
        "unknown attribute": "\n".join([first, json.dumps({**trace, "mood": "good"}), *rest[1:]]),
        "content that is no text": "\n".join([first, json.dumps({**trace, "content": 5}), *rest[1:]]),
        "no JSON": "\n".join([first, "x", *rest]),
        "another version": "\n".join(['{"kind":"memtools-export","format":2}', *rest]),
        "nothing": "",
    }


@pytest.mark.parametrize("way", sorted(broken("{}\n{}\n{}\n{}\n{}\n")))
def test_a_damaged_export_is_refused_and_nothing_written(
    ana: Caller, run: Run, moto: Template, tmp_path: Path, way: str
) -> None:
    ana.remember("One", "Two", "Three")
    run("export", tmp_path / "file", *whose(ana.scope))
    bad = tmp_path / "bad"
    bad.write_text(broken((tmp_path / "file").read_text("utf-8"))[way], encoding="utf-8")
    other = Scope(ana.scope.agent, "other")
    ended = run("import", bad, "--format", "memtools", *whose(other))
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert items_of(other, moto) == []


def test_a_memory_that_is_not_empty_is_left_alone(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    ana.remember("One")
    run("export", tmp_path / "file", *whose(ana.scope))
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    other.remember("Two")
    before = items_of(other.scope, moto)
    ended = run("import", tmp_path / "file", *whose(other.scope))
    assert (ended.code, ended.told["error"]["code"]) == (1, "conflict")
    assert items_of(other.scope, moto) == before


def test_a_document_there_makes_a_memory_not_empty(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    ana.remember("One")
    run("export", tmp_path / "file", *whose(ana.scope))
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    other.edit(action="add", text="Two")
    assert run("import", tmp_path / "file", *whose(other.scope)).code == 1
    assert items_of(other.scope, moto) == []


def test_what_somebody_adds_during_an_import_is_not_overwritten(
    ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana.remember("One")
    run("export", tmp_path / "file", *whose(ana.scope))
    run("erase", *whose(ana.scope), "--yes", "--receipt", tmp_path / "receipt")
    from memtools.adapters.archive import importing

    plain = importing._missing_versions

    def meanwhile(*arguments: Any) -> Any:
        ana.add(facts=["One"], tags=["mine"])
        return plain(*arguments)

    monkeypatch.setattr(importing, "_missing_versions", meanwhile)
    assert run("import", tmp_path / "file", *whose(ana.scope)).told["error"]["code"] == "conflict"
    assert [one["tags"] for one in ana.list()["results"]] == [["mine"]]


def test_the_page_for_people_has_what_is_remembered_and_what_is_not(ana: Caller, run: Run, tmp_path: Path) -> None:
    one, two, gone = ana.remember("The oboe is hers", "She plays\nthe oboe", "She left", tags=["music"])
    ana.merge(traceIds=[one, two], mergedContent="The oboe is hers, she plays it")
    ana.delete(traceId=gone, reason="wrong")
    ana.edit(action="add", text="Brief")
    assert run("export", tmp_path / "page.md", "--markdown", *whose(ana.scope)).code == 0
    assert (tmp_path / "page.md").read_text("utf-8") == (
        f"# Memory of {ana.scope.agent} about ana\n\n## MEMORY.md\n\n- Brief\n\n"
        "## Remembered\n\n- 2026-11-30: The oboe is hers, she plays it (tags: music)\n\n"
        f"## Merged\n\n- 2026-11-30: She plays\n  the oboe (tags: music) (part of {one})\n\n"
        "## Deleted\n\n- 2026-11-30: She left (tags: music) (reason: wrong)\n"
    )
