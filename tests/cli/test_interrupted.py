"""Exports and imports interrupted at any AWS call: the same command, run again, has the same result."""

import contextlib
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from botocore.client import BaseClient
from memtools.domain.scope import Scope

from local.template import Template
from tests.calls import Caller
from tests.cli.interruptions import Killed, outage
from tests.cli.worlds import Ended, Run, client, live_a_life, whose

LEAST_CALLS = 6
AFTER = pytest.mark.parametrize("after", [False, True], ids=["right before the call", "right after the call"])


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries answer page by page, and imports write a few items at a time."""
    from memtools.adapters.archive import importing

    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: BaseClient, operation: str, parameters: dict[str, object]) -> object:
        limit = {"Limit": 4} if operation == "Query" else {}
        return plain(client, operation, {**parameters, **limit})

    monkeypatch.setattr(BaseClient, "_make_api_call", call)
    monkeypatch.setattr(importing, "_BATCH", 2)


def live_briefly(who: Caller) -> None:
    """A little of everything: each call that follows is one more place to end at."""
    one, two, three = who.remember("One", "Two", "Three")
    who.merge(traceIds=[one, two])
    who.update(traceId=three, content="Drei")
    who.edit(action="add", text="Brief")
    who.edit(action="add", text="Kind")


def ended_at(number: int, run: Callable[[], Ended], monkeypatch: pytest.MonkeyPatch, *, after: bool) -> Ended | None:
    """What the command came to, None where it ended at a call."""
    with outage(monkeypatch) as calls:
        calls.at, calls.after = number, after
        with contextlib.suppress(Killed):
            return run()
    return None


@AFTER
def test_an_interrupted_export_makes_the_same_file(
    *, ana: Caller, run: Run, small_pages: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    live_briefly(ana)
    whole = tmp_path / "whole"
    with outage(monkeypatch) as undisturbed:
        run("export", whole, *whose(ana.scope))
    for number in range(100):
        file = tmp_path / f"file {number}"
        command = ("export", file, *whose(ana.scope))
        if ended_at(number, lambda command=command: run(*command), monkeypatch, after=after):  # type: ignore[misc]
            break
        assert not file.exists()
        assert run(*command).code == 0
        assert file.read_bytes() == whole.read_bytes()
    assert number == len(undisturbed.calls) > LEAST_CALLS
    assert {file.name for file in tmp_path.iterdir()} == {"whole", *(f"file {one}" for one in range(number + 1))}


@pytest.mark.parametrize("lost", [0, 1, 7])
def test_an_export_continues_where_it_stopped(
    *, ana: Caller, run: Run, small_pages: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """Even where the machine went down in the middle of a line, or right before its end."""
    live_a_life(ana, 12)
    command = ("export", tmp_path / "file", *whose(ana.scope))
    with outage(monkeypatch) as whole:
        run("export", tmp_path / "whole", *whose(ana.scope))
    assert ended_at(5, lambda: run(*command), monkeypatch, after=False) is None
    part = tmp_path / "file.part"
    written = part.read_bytes()
    part.write_bytes(written[: len(written) - lost])
    with outage(monkeypatch) as rest:
        assert run(*command).code == 0
    assert len(rest.calls) < len(whole.calls) - 3
    assert (tmp_path / "file").read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_export_of_another_memory_is_not_continued(
    ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana.remember("One")
    assert ended_at(1, lambda: run("export", tmp_path / "file", *whose(ana.scope)), monkeypatch, after=False) is None
    assert run("export", tmp_path / "file", *whose(Scope("somebody", "else"))).code == 1


CHANGES: dict[str, Callable[[Caller, str, str], object]] = {
    "merged": lambda who, one, two: who.merge(traceIds=[one, two]),
    "added": lambda who, *_: who.add(facts=["Three"]),
    "noted": lambda who, *_: who.edit(action="add", text="Brief"),
}


@pytest.mark.parametrize(
    ("change", "call"), [("merged", 0), ("merged", 1), ("merged", 2), ("merged", 3), ("added", 2), ("noted", 2)]
)
def test_an_export_holds_one_state(
    *, ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, call: int
) -> None:
    """A memory that changes during its export is exported as it was before or after the change, or not at all."""
    one, two = ana.remember("One", "Two")
    before, after = tmp_path / "before", tmp_path / "after"
    run("export", before, *whose(ana.scope))
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]
    calls = itertools.count()

    def meanwhile(client: BaseClient, operation: str, parameters: object) -> object:
        if next(calls) == call:
            CHANGES[change](ana, one, two)
        return plain(client, operation, parameters)

    with monkeypatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", meanwhile)
        ended = run("export", tmp_path / "file", *whose(ana.scope))
    run("export", after, *whose(ana.scope))
    assert before.read_bytes() != after.read_bytes()
    if ended.code:
        assert ended.reply["error"]["code"] == "conflict"
        assert {file.name for file in tmp_path.iterdir()} == {"before", "after"}
    else:
        assert (tmp_path / "file").read_bytes() in (before.read_bytes(), after.read_bytes())


def test_an_interrupted_import_makes_the_same_memory(
    ana: Caller, run: Run, small_pages: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends at each call in turn, before or after it."""
    live_briefly(ana)
    whole = tmp_path / "whole"
    run("export", whole, *whose(ana.scope))
    with outage(monkeypatch) as undisturbed:
        run("import", whole, *whose(Scope(ana.scope.agent, "undisturbed")))
    for number in range(100):
        scope = Scope(ana.scope.agent, f"other {number}")
        command = ("import", whole, *whose(scope))
        done = ended_at(number, lambda command=command: run(*command), monkeypatch, after=number % 2 == 0)  # type: ignore[misc]
        assert run(*command).code == 0
        run("export", tmp_path / f"file {number}", *whose(scope))
        assert (tmp_path / f"file {number}").read_bytes() == whole.read_bytes()
        if done:
            break
    assert number == len(undisturbed.calls) > LEAST_CALLS


def test_an_import_writes_whatever_is_missing(ana: Caller, run: Run, moto: Template, tmp_path: Path) -> None:
    """Items are written in parallel, so those of a first run need not be the first ones."""
    live_a_life(ana, 6)
    other = Scope(ana.scope.agent, "other")
    run("export", tmp_path / "whole", *whose(ana.scope))
    assert run("import", tmp_path / "whole", *whose(other)).code == 0
    table = moto.environment["TABLE_NAME"]
    items = client("dynamodb").scan(TableName=table, ProjectionExpression="pk, sk")["Items"]
    for item in [one for one in items if one["pk"]["S"] == other.key][::3]:
        client("dynamodb").delete_item(TableName=table, Key=item)
    assert run("import", tmp_path / "whole", *whose(other)).code == 0
    run("export", tmp_path / "again", *whose(other))
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_memory_changed_during_its_import_is_left_alone(
    ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search changes nothing but a count, so the import continues after one."""
    ids = ana.remember("The oboe is hers", "The cello is his")
    run("export", tmp_path / "file", *whose(ana.scope))
    other = Caller(ana.memory, Scope(ana.scope.agent, "other"))
    command = ("import", tmp_path / "file", *whose(other.scope))
    assert ended_at(5, lambda: run(*command), monkeypatch, after=True) is None
    ids = [one["id"] for one in other.list()["results"]]
    assert ids
    assert other.search(query="oboe cello")["results"]
    assert run(*command).code == 0
    other.update(traceId=ids[0], content="Changed")
    assert run(*command).code == 1


def test_a_lost_answer_is_not_a_conflict(
    ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The put took effect, its answer got lost, botocore sends it again."""
    ana.remember("One")
    run("export", tmp_path / "file", *whose(ana.scope))
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def twice(client: BaseClient, operation: str, parameters: object) -> object:
        if operation == "PutItem":
            plain(client, operation, parameters)
        return plain(client, operation, parameters)

    other = Scope(ana.scope.agent, "other")
    with monkeypatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", twice)
        assert run("import", tmp_path / "file", *whose(other)).code == 0
