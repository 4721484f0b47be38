"""An import brings nothing that a tool could not have stored (FAULTS C2)."""

import base64
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.cli.worlds import Run, lines, live_a_life, whose

REFUSED = 2
ODD: list[Any] = [
    *(-5, 0, 1, 2**40, 2**70, 10**18, 0.5, True, None, "", " ", "x", "\ud800", "../../x", "a#b", "é" * 40_000),
    *([], {}, ["x"] * 60, ["x" * 100_000], "2026-13-45", "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00.000000Z"),
    *("live", "deleted", "merged", "erased", base64.b64encode(bytes(5000)).decode()),
]


def places(values: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside."""
    inner = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for name, value in inner:
        yield (*path, name)
        yield from places(value, (*path, name))


def changed(values: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """A copy with another value at the path."""
    copy = json.loads(json.dumps(values))
    parent = copy
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = odd
    return copy


@pytest.fixture
def exported(ana: Caller, run: Run, tmp_path: Path) -> list[dict[str, Any]]:
    live_a_life(ana, 18)
    assert run("export", tmp_path / "whole", *whose(ana.scope)).code == 0
    return lines(tmp_path / "whole")


def works(caller: Caller) -> None:
    """Every tool answers, none with a fault or an outage."""
    listed = caller.list(limit=100)["results"]
    for query in ("Fact corrected", "日本"):
        caller.search(query=query, limit=100)
    for one in listed[:3]:
        caller.history(traceId=one["id"])
        caller.update(traceId=one["id"], tags=["after"])
        caller.delete(traceId=one["id"])
        caller.restore(traceId=one["id"])
    ids = [one["id"] for one in listed[:2]]
    if len(ids) > 1:
        caller.unmerge(survivorId=caller.merge(traceIds=ids, mergedContent="both")["survivorId"])
    caller.duplicates()
    caller.edit(action="add", text="after")
    caller.history(target="self")
    caller.read()


def test_whatever_is_changed_in_an_export_it_is_refused_or_works(
    ana: Caller, exported: list[dict[str, Any]], run: Run, tmp_path: Path
) -> None:
    """One value of one line becomes odd, goes, or is new; a refusal names the line and leaves nothing."""
    chance = random.Random(13)
    refused = 0
    for number in range(24):
        at = chance.randrange(1, len(exported) - 1)
        path = chance.choice(list(places(exported[at])))
        odd = chance.choice(ODD)
        broken = [*exported]
        broken[at] = changed(exported[at], path, odd)
        file = tmp_path / f"broken-{number}"
        file.write_text("".join(json.dumps(line) + "\n" for line in broken), "utf-8")
        to = Scope(ana.scope.agent, f"other-{number}")
        ended = run("import", file, *whose(to))
        other = Caller(ana.memory, to)
        what = f"{path} of line {at + 1}: {str(odd)[:40]!r}"
        assert ended.code in (0, REFUSED), f"{what}: {ended}"
        if ended.code:
            refused += 1
            assert str(at + 1) in ended.err or "twice" in ended.err or "last line" in ended.err, f"{what}: {ended.err}"
            assert other.all() == [], what
        else:
            works(other)
    assert 8 < refused < 24


@pytest.mark.parametrize(
    ("field", "odd"),
    [
        ("version", 2**40),
        ("version", -5),
        ("embedding", base64.b64encode(bytes(5000)).decode()),
        ("content", "x" * 390_000),
        ("content", " "),
        ("tags", ["x" * 100_000]),
        ("tags", ["x"] * 51),
        ("retrievalCount", -1),
        ("status", "erased"),
        ("id", "a#b"),
        ("expiresAt", 10**18),
        ("embeddingModel", 1),
        ("reason", 5),
        ("mergedFrom", [None]),
        ("tags", [None]),
        ("createdAt", "yesterday"),
    ],
)
def test_an_odd_value_is_refused_by_line(  # noqa: PLR0917 - fixtures
    ana: Caller, exported: list[dict[str, Any]], run: Run, tmp_path: Path, field: str, odd: Any
) -> None:
    at = next(number for number, line in enumerate(exported) if line["kind"] == "trace")
    more = {"embeddingModel": "all-MiniLM-L6-v2/int8"} if field == "embedding" else {}
    exported[at] = {**exported[at], field: odd, **more}
    (tmp_path / "odd").write_text("".join(json.dumps(line) + "\n" for line in exported), "utf-8")
    to = Scope(ana.scope.agent, "other")
    ended = run("import", tmp_path / "odd", *whose(to))
    assert (ended.code, f"line {at + 1}:" in ended.err) == (REFUSED, True)
    assert Caller(ana.memory, to).all() == []


def test_what_a_document_says_of_its_writes_is_refused_by_line(
    ana: Caller, exported: list[dict[str, Any]], run: Run, tmp_path: Path
) -> None:
    """Nothing else fits into the metadata of S3, which would stop the import half-way."""
    at = max(number for number, line in enumerate(exported) if line["kind"] == "document")
    odd = [
        (field, odd) for field in ("edit", "writes", "writtenAt") for odd in (0.5, True, -5, "x" * 5000, "é", "a\nb")
    ]
    for field, value in [*odd, ("writtenAt", "2026-13-45")]:
        broken = [*exported]
        broken[at] = {**exported[at], field: value}
        (tmp_path / "odd").write_text("".join(json.dumps(line) + "\n" for line in broken), "utf-8")
        to = Scope(ana.scope.agent, "other")
        ended = run("import", tmp_path / "odd", *whose(to))
        assert (ended.code, f"line {at + 1}:" in ended.err) == (REFUSED, True), (field, value)
        assert Caller(ana.memory, to).all() == []


@pytest.mark.parametrize("name", ["../../x", "", "/SOUL.md", "MEMORY.md/../USER.md", "a//b", ".", "a\nb", "x" * 2000])
def test_an_import_writes_no_document_outside_of_its_scope(
    ana: Caller, exported: list[dict[str, Any]], run: Run, tmp_path: Path, name: str
) -> None:
    at = next(number for number, line in enumerate(exported) if line["kind"] == "document")
    exported[at] = {**exported[at], "name": name}
    (tmp_path / "odd").write_text("".join(json.dumps(line) + "\n" for line in exported), "utf-8")
    ended = run("import", tmp_path / "odd", *whose(Scope(ana.scope.agent, "other")))
    assert (ended.code, f"line {at + 1}:" in ended.err) == (REFUSED, True)
