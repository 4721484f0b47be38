"""Erasing a scope: all of it, nothing of another, and a receipt that is correct after any interruption."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memtools.adapters.archive.erasing import MARKER_SIZE
from memtools.adapters.segments import segment_key
from memtools.domain.scope import Scope
from memtools_cli import erasing

from local.template import Template
from tests.calls import Caller
from tests.cli.interruptions import Killed, outage
from tests.cli.worlds import Run, client, live_a_life, whose

LOOKALIKES = ["ana2", "an", "a/na", "a%2Fna", "ana/", "Ana", "ana ", "ana#trace"]
LEAST_CALLS = 6  # a query, the deletes, the lists, and all reads once more
Snapshot = Callable[[], dict[str, Any]]


@pytest.fixture
def snapshot(moto: Template) -> Snapshot:
    """Every item and every version there is, by its key, but what an erasure leaves: it has no content."""
    names = moto.environment
    dynamodb, s3 = client("dynamodb"), client("s3")

    def take() -> dict[str, Any]:
        items = dynamodb.scan(TableName=names["TABLE_NAME"], ConsistentRead=True)
        assert "LastEvaluatedKey" not in items
        found = {f"{item['pk']['S']} {item['sk']['S']}": item for item in items["Items"] if item["sk"]["S"] != "erased"}
        listed = s3.list_object_versions(Bucket=names["BUCKET_NAME"])
        for kind in ("Versions", "DeleteMarkers"):
            kept = [one for one in listed.get(kind, []) if one.get("Size") != MARKER_SIZE]
            found |= {f"{one['Key']} {one['VersionId']}": kind for one in kept}
        return found

    return take


def settle(ana: Caller, moto: Template, users: list[str]) -> None:
    """Others with traces, documents and a segment each; and the agent's own document."""
    s3, bucket = client("s3"), moto.environment["BUCKET_NAME"]
    for user in users:
        them = Caller(ana.memory, Scope(ana.scope.agent, user))
        them.remember("Keep this")
        them.edit(action="add", text="Keep this")
        s3.put_object(Bucket=bucket, Key=segment_key(them.scope), Body=b"segment")
    s3.put_object(Bucket=bucket, Key=f"agents/{ana.scope.agent_path}/SOUL.md", Body=b"Kind")


def furnish(ana: Caller, moto: Template) -> None:
    """Of each kind something: traces, history, keys, versions, a deletion marker, a segment in two versions."""
    live_a_life(ana, 6)
    s3, bucket = client("s3"), moto.environment["BUCKET_NAME"]
    s3.delete_object(Bucket=bucket, Key=f"agents/{ana.scope.agent_path}/users/{ana.scope.user_path}/USER.md")
    for body in (b"old", b"new"):
        s3.put_object(Bucket=bucket, Key=segment_key(ana.scope), Body=body)


def refurnish(ana: Caller, moto: Template, items: list[Any]) -> None:
    """The same items once more, and a document and a segment; quicker than to live the life again."""
    dynamodb, s3, names = client("dynamodb"), client("s3"), moto.environment
    for start in range(0, len(items), 25):
        writes = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        dynamodb.batch_write_item(RequestItems={names["TABLE_NAME"]: writes})
    document = f"agents/{ana.scope.agent_path}/users/{ana.scope.user_path}/USER.md"
    for key in (document, segment_key(ana.scope)):
        s3.put_object(Bucket=names["BUCKET_NAME"], Key=key, Body=b"text")
    s3.delete_object(Bucket=names["BUCKET_NAME"], Key=document)


def test_only_the_scope_is_erased(ana: Caller, run: Run, snapshot: Snapshot, moto: Template, tmp_path: Path) -> None:
    settle(ana, moto, LOOKALIKES)
    before = snapshot()
    furnish(ana, moto)
    ended = run("erase", *whose(ana.scope), "--yes", "--receipt", tmp_path / "receipt")
    assert ended.code == 0
    assert snapshot() == before


def test_the_receipt_counts_each_kind(
    ana: Caller, run: Run, snapshot: Snapshot, moto: Template, tmp_path: Path
) -> None:
    furnish(ana, moto)
    kinds = [(f"{key.split()[1].partition('#')[0]}", value) for key, value in snapshot().items()]
    total = {
        "traces": sum(kind == "trace" and "id" in value for kind, value in kinds),
        "history": sum(kind == "history" for kind, _ in kinds),
        "keys": sum(kind == "trace" and "id" not in value for kind, value in kinds),
        "others": 0,
        "documentVersions": 5,
        "deletionMarkers": 1,
        "segmentVersions": 2,
    }
    assert all(number for kind, number in total.items() if kind != "others")
    ended = run("erase", *whose(ana.scope), "--yes", "--receipt", tmp_path / "receipt")
    receipt = json.loads((tmp_path / "receipt").read_text("utf-8"))
    assert receipt["erased"] == ended.reply["erased"] == total
    assert receipt["verified"] is True
    assert receipt["finished"]


@pytest.mark.parametrize("after", [False, True], ids=["right before the call", "right after the call"])
def test_an_interrupted_erasure_continues_and_counts_right(
    *,
    ana: Caller,
    run: Run,
    snapshot: Snapshot,
    moto: Template,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    after: bool,
) -> None:
    settle(ana, moto, LOOKALIKES[:1])
    neighbourhood = snapshot()
    furnish(ana, moto)
    items = [item for key, item in snapshot().items() if key not in neighbourhood and "pk" in item]
    number = 0
    while True:
        refurnish(ana, moto, items)
        there = len(snapshot()) - len(neighbourhood)
        command = ("erase", *whose(ana.scope), "--yes", "--receipt", tmp_path / f"receipt {number}")
        with outage(monkeypatch) as calls:
            calls.at, calls.after = number, after
            ended = None
            with contextlib.suppress(Killed):
                ended = run(*command)
        if ended is not None:
            break
        again = run(*command)
        assert again.code == 0
        assert snapshot() == neighbourhood
        assert sum(again.reply["erased"].values()) == there
        number += 1
    assert snapshot() == neighbourhood
    assert number == len(calls.calls) > LEAST_CALLS


def test_nothing_is_erased_without_consent(
    *, ana: Caller, run: Run, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a terminal to ask on, `--yes` has to be given."""
    ana.remember("One")
    before = snapshot()
    monkeypatch.chdir(tmp_path)
    command = ("erase", *whose(ana.scope))
    assert run(*command).code == 2
    for answer, code in (("n\n", 1), ("", 130), ("y\n", 0)):
        assert snapshot() == before
        stdin = io.TextIOWrapper(io.BytesIO(answer.encode()))
        stdin.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr("sys.stdin", stdin)
        ended = run(*command)
        assert ended.code == code
        assert "1 traces" in ended.err
    assert snapshot() == {}
    assert len(list(tmp_path.iterdir())) == 1


def test_the_unfinished_receipt_is_continued(
    *, ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finished one is left alone, and another memory's too."""
    monkeypatch.chdir(tmp_path)
    command = ("erase", *whose(ana.scope), "--yes")
    other = ("erase", *whose(Scope(ana.scope.agent, "other")), "--yes")
    ana.remember("One")
    Caller(ana.memory, Scope(ana.scope.agent, "other")).remember("One")
    assert run(*command).code == run(*other).code == 0
    ana.remember("One", "Two")
    with outage(monkeypatch) as calls, contextlib.suppress(Killed):
        calls.at, calls.after = 1, True
        run(*command)
    assert len(list(tmp_path.iterdir())) == 3
    assert run(*command).reply["erased"]["traces"] == 2
    assert len(list(tmp_path.iterdir())) == 3


def test_a_receipt_is_never_written_over(ana: Caller, run: Run, tmp_path: Path) -> None:
    receipt, none = tmp_path / "receipt", tmp_path / "none"
    none.write_text("{}", "utf-8")
    command = ("erase", *whose(ana.scope), "--yes", "--receipt")
    ana.remember("Zero")
    assert run(*command, receipt).code == 0
    before = receipt.read_bytes()
    ana.remember("One")
    assert run(*command, receipt).code == 1
    assert run("erase", *whose(Scope(ana.scope.agent, "other")), "--yes", "--receipt", receipt).code == 1
    assert run(*command, none).code == 1
    assert run(*command, tmp_path / "no" / "folder").code == 2
    assert receipt.read_bytes() == before
    assert ana.all() == ["One"]


def test_writes_during_an_erasure_are_erased_too(
    ana: Caller, run: Run, snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And counted; an erasure that never catches up fails."""
    ana.remember("One")
    more = iter(range(2))
    plain = erasing._pass

    def meanwhile(*arguments: Any) -> bool:
        for number in more:
            ana.add(facts=[f"More {number}"])
            break
        return plain(*arguments)

    monkeypatch.setattr(erasing, "_pass", meanwhile)
    command = ("erase", *whose(ana.scope), "--yes", "--receipt")
    assert run(*command, tmp_path / "first").reply["erased"]["traces"] == 3
    assert snapshot() == {}
    ana.remember("One")
    more = iter(range(100))
    assert run(*command, tmp_path / "second").code == 1
    assert json.loads((tmp_path / "second").read_text("utf-8"))["verified"] is False
