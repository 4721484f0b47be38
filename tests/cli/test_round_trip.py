"""An export put into an empty memory makes the same memory."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from memtools.adapters.archive import documents, importing
from memtools.adapters.aws import from_dynamodb
from memtools.adapters.table.statements import claimed_text
from memtools.adapters.values import trace_of
from memtools.domain.scope import Scope
from memtools.errors import Unavailable

from local.template import Template
from tests.calls import Caller
from tests.cli.worlds import Run, client, lines, live_a_life, whose
from tests.fakes import FakeClock
from tests.memories import over_adapters


def items_of(scope: Scope, moto: Template) -> list[dict[str, Any]]:
    """The scope's items but for where they stand, and but for what an erasure leaves."""
    answer = client("dynamodb").query(
        TableName=moto.environment["TABLE_NAME"],
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": scope.key}},
    )
    assert "LastEvaluatedKey" not in answer
    items = [item for item in map(from_dynamodb, answer["Items"]) if item["sk"] != "erased"]
    return [{name: value for name, value in item.items() if name != "pk"} for item in items]


def test_export_import_export_is_the_identity(ana: Caller, run: Run, tmp_path: Path) -> None:
    """Whatever became of traces and documents, and whatever the name of the scope."""
    live_a_life(ana, 36, quiet=165)
    first, second = tmp_path / "first", tmp_path / "second"
    other = Scope(ana.scope.agent, "ana/2 %")
    assert run("export", first, *whose(ana.scope)).code == 0
    imported = run("import", first, *whose(other))
    assert imported.code == 0
    assert run("export", second, *whose(other)).code == 0
    assert first.read_bytes() == second.read_bytes()
    assert {line["kind"] for line in lines(first)} == {"memtools-export", "trace", "history", "document", "end"}
    assert imported.reply["traces"] > 200
    traces = [line for line in lines(first) if line["kind"] == "trace"]
    assert {trace["status"] for trace in traces} == {"live", "deleted", "merged"}
    assert {"updated", "merged", "merged_away", "unmerged", "deleted", "added"} <= {one["change"] for one in traces}


def test_items_come_back_the_same(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    """Erased and imported, each item is as it was, but for the time of its change, which the export keeps."""
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


def test_imported_texts_are_claimed(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    """In a scope of another name no id is the key of its text; a fact added again is still a duplicate."""
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
    assert holders == {(key, name) for name, trace in traces.items() if (key := claimed_text(other, trace))}
    them = Caller(ana.memory, other)
    live = [trace for trace in traces.values() if trace.live]
    added = them.add(facts=[trace.content.upper() for trace in live])
    assert added["saved"] == []
    assert [one["id"] for one in added["duplicates"]] == [trace.id for trace in live]


def test_an_imported_memory_can_be_changed(ana: Caller, run: Run, tmp_path: Path) -> None:
    """Merges are undone, deletions taken back, documents have their versions, changes are exported as of now."""
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


def test_undo_goes_on_in_an_imported_memory(ana: Caller, run: Run, tmp_path: Path) -> None:
    """S3 names all versions anew: undo still goes back step by step, and past an undo that was made before."""
    for text in ("Brief", "Kind", "Short"):
        ana.edit(action="add", text=text)
    ana.edit(action="undo")
    ana.edit(action="add", text="Warm")
    ana.edit(action="undo")
    for name in ("second", "third"):
        run("export", tmp_path / name, *whose(ana.scope))
        ana = Caller(ana.memory, Scope(ana.scope.agent, name))
        assert run("import", tmp_path / name, *whose(ana.scope)).code == 0
    before = [one["version"] for one in ana.history(target="self")["versions"]][::-1]
    told = [ana.edit(action="undo") for _ in range(2)]
    assert [one["text"] for one in told] == ["- Brief\n", ""]
    assert [one["undone"] for one in told] == [
        {"change": "add", "version": before[1], "backTo": before[0]},
        {"change": "add", "version": before[0], "backTo": "none"},
    ]
    ana.edit(action="add", text="Later")
    assert ana.edit(action="undo")["text"] == ""


def test_undo_goes_on_after_an_interrupted_import(
    ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run names the versions that the first one wrote."""
    for text in ("Brief", "Kind", "Short"):
        ana.edit(action="add", text=text)
    ana.edit(action="undo")
    run("export", tmp_path / "file", *whose(ana.scope))
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    plain, left = documents.write_version, iter(range(3))

    def write_version(*arguments: Any) -> Any:
        if next(left, None) is None:
            raise Unavailable("No answer.")
        return plain(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(importing, "write_version", write_version)
        assert run("import", tmp_path / "file", *whose(other.scope)).code != 0
    assert run("import", tmp_path / "file", *whose(other.scope)).code == 0
    assert [other.edit(action="undo")["text"] for _ in range(2)] == ["- Brief\n", ""]


def test_a_warm_index_sees_an_import(ana: Caller, run: Run, moto: Template, tmp_path: Path, clock: FakeClock) -> None:
    """A warm function reads only what has changed since: an import has to be such a change."""
    ana.remember("The oboe is hers")
    run("export", tmp_path / "file", *whose(ana.scope))

    names = moto.environment
    memory = over_adapters(client("dynamodb"), client("s3"), names, lambda: datetime.now(UTC))
    warm = Caller(memory, Scope(ana.scope.agent, "other"))
    assert warm.all() == []
    assert run("import", tmp_path / "file", *whose(warm.scope)).code == 0
    assert warm.contents("oboe") == ["The oboe is hers"]


def test_documents_from_outside_are_exported(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
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


def test_versions_past_their_retention_are_not_exported(
    ana: Caller, run: Run, tmp_path: Path, clock: FakeClock
) -> None:
    """DynamoDB may take days to remove them: those in items of their own, and those inside their trace."""
    clock.advance(datetime.now(UTC) - clock.now() - timedelta(days=60))
    one, two = ana.remember("The oboe is hers", "The viola is hers")
    ana.update(traceId=one, content="The cello is hers")
    ana.delete(traceId=two, reason="the bow broke")
    ana.remember("The viola is hers")
    clock.advance(timedelta(days=40))
    ana.update(traceId=one, content="The harp is hers")
    assert run("export", tmp_path / "file", *whose(ana.scope)).code == 0
    exported = (tmp_path / "file").read_text("utf-8")
    assert [text for text in ("oboe", "cello", "harp", "viola", "broke") if text in exported] == [
        "cello",
        "harp",
        "viola",
    ]


def test_an_empty_memory_makes_an_export(ana: Caller, run: Run, tmp_path: Path) -> None:
    assert run("export", tmp_path / "file", *whose(ana.scope)).code == 0
    assert run("import", tmp_path / "file", *whose(ana.scope)).reply["traces"] == 0


@pytest.mark.parametrize("write", [lambda who: who.remember("Two"), lambda who: who.edit(action="add", text="Two")])
def test_an_import_needs_an_empty_scope(
    *, ana: Caller, run: Run, moto: Template, tmp_path: Path, write: Callable[[Caller], object]
) -> None:
    """A trace or a document of somebody's makes it a conflict, and nothing is written."""
    ana.remember("One")
    run("export", tmp_path / "file", *whose(ana.scope))
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    write(other)
    before = items_of(other.scope, moto)
    ended = run("import", tmp_path / "file", *whose(other.scope))
    assert (ended.code, ended.reply["error"]["code"]) == (1, "conflict")
    assert items_of(other.scope, moto) == before


def add(who: Caller) -> None:
    who.add(facts=["One"])


def claim(who: Caller) -> None:
    (other,) = who.remember("Zero")
    who.update(traceId=other, content="One")


@pytest.mark.parametrize("write", [add, claim])
def test_an_import_overwrites_nothing(
    *, ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Caller], None]
) -> None:
    """A trace or a claim where the import would write is a conflict, even if it came after the first read."""
    ana.remember("One")
    run("export", tmp_path / "file", *whose(ana.scope))
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    plain = importing._missing_versions

    def meanwhile(*arguments: Any) -> Any:
        write(other)
        return plain(*arguments)

    monkeypatch.setattr(importing, "_missing_versions", meanwhile)
    (theirs,) = ana.list()["results"]
    assert run("import", tmp_path / "file", *whose(other.scope)).reply["error"]["code"] == "conflict"
    assert [one["id"] for one in other.add(facts=["One"])["duplicates"]] != [theirs["id"]]


def test_the_page_for_people(ana: Caller, run: Run, tmp_path: Path) -> None:
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
