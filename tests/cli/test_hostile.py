"""Hostile and odd files: refused or taken with an exit code and one line, never half, never without bound."""

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from memtools_cli import files, formats
from memtools_cli.failures import Failure
from memtools_cli.formats import notes

from tests.cli.worlds import Run

Make = Callable[[Path], object]
LIMIT = 1024 * 1024


def data(content: bytes | str) -> Make:
    return lambda place: place.write_bytes(content.encode() if isinstance(content, str) else content)


def lines(*values: object) -> Make:
    return data("\n".join(map(json.dumps, values)))


def zipped(name: str, content: bytes) -> Make:
    def make(place: Path) -> None:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)

    return make


def cut(place: Path) -> None:
    zipped("memories.json", b"[]" * 1000)(place)
    place.write_bytes(place.read_bytes()[:60])


def folder(fill: Make) -> Make:
    def make(place: Path) -> None:
        place.mkdir()
        fill(place)

    return make


def sparse(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(LIMIT * 1000)


# File names, with what makes them; the exit code, and a word of what is said.
HOSTILE: dict[str, tuple[str, Make, int, str]] = {
    "empty": ("a.txt", data(""), 2, "nothing to import"),
    "empty JSON": ("a.json", data("{}"), 2, "no known format"),
    "blank": ("a.md", data(" \n\t\n\r\n"), 2, "nothing to import"),
    "a mark alone": ("a.md", data(b"\xef\xbb\xbf"), 2, "nothing to import"),
    "zeros": ("a.txt", data(b"\0" * 100), 2, "zero bytes"),
    "a picture": ("a.md", data(b"\x89PNG\r\n\x1a\n\xff\xfe"), 2, "not UTF-8"),
    "Latin-1": ("a.txt", data(b"caf\xe9"), 2, "not UTF-8"),
    "half of UTF-16": ("a.txt", data(b"\xff\xfea\0b"), 2, "not UTF-8"),
    "endless": ("a.txt", sparse, 2, "larger than"),
    "deep JSON": ("a.json", data("[" * 100_000), 2, "no known format"),
    "deep JSON in a line": ("a.jsonl", data('{"memory":"One"}\n' + "[" * 100_000), 0, "not valid JSON"),
    "a long number": ("a.json", data('{"memory":"One","created_at":' + "9" * 5000 + "}"), 2, "no known format"),
    "no number": ("a.json", data('{"memory":"One","created_at":NaN}'), 0, "no day"),
    "infinite time": ("a.json", data('{"memory":"One","created_at":1e400}'), 0, "no day"),
    "year 99999": ("a.txt", data("[99999-01-01] - One"), 0, "no day"),
    "edge of time": ("a.json", lines({"memory": "One", "created_at": "0001-01-01T00:00:00+14:00"}), 0, "no day"),
    "half a pair": ("a.json", lines({"memory": "One"}, {"memory": "\ud800"}), 0, "surrogate"),
    "half a pair as tag": ("a.json", lines({"memory": "One", "categories": ["\udfff"]}), 0, "no tag"),
    "tags of all kinds": ("a.json", lines({"memory": "One", "categories": [1, None, {}, "x" * 101]}), 0, "no tag"),
    "tags without number": ("a.json", lines({"memory": "One", "categories": [f"t{n}" for n in range(60)]}), 0, "50"),
    "a long text": ("a.json", lines({"memory": "One"}, {"memory": "x" * 70_000}), 0, "longer"),
    "another type": ("a.json", lines({"memory": {"a": 1}}), 2, "no text"),
    "lists in lists": ("a.json", data('{"results":[[["One"]]]}'), 2, "no text"),
    "an entity of numbers": ("a.json", lines({"type": "entity", "name": 1}), 2, "neither"),
    "a graph of nulls": ("a.json", data('{"entities":[null],"relations":[0]}'), 2, "neither"),
    "a JSON string in MCP": ("a.json", lines({"content": [{"type": "text", "text": "[" * 100_000}]}), 2, "not valid"),
    "a chat of nulls": ("a.json", data('[{"mapping":{"a":null,"b":{"message":[]}}}]'), 2, "nothing to import"),
    "prose of numbers": ("a.json", data('[{"conversations_memory":5,"project_memories":[1]}]'), 2, "nothing to import"),
    "blocks of nulls": ("a.af", data('{"agents":[null],"blocks":[null,{"label":1}]}'), 2, "no label"),
    "items of nulls": ("a.json", data('[{"namespace":[],"value":{}},{"namespace":0,"value":0}]'), 2, "blank"),
    "OpenMemory's lists": ("a.json", data('{"memories":[{"content":"x","category_ids":[{}]}]}'), 0, "Imported"),
    "a bomb": ("a.zip", zipped("memories.json", b" " * LIMIT * 8), 2, "larger than"),
    "a bomb in a bomb": ("a.zip", zipped("memories.jsonl.gz", gzip.compress(b" " * LIMIT * 8)), 2, "larger than"),
    "a zip cut off": ("a.zip", cut, 2, "damaged"),
    "a zip of others": ("a.zip", zipped("../../etc/passwd", b"x"), 2, "has none of"),
    "no gzip": ("a.zip", zipped("memories.jsonl.gz", b"no"), 2, "damaged"),
    "a table without head": ("a.csv", data(""), 2, "which column"),
    "a quote never closed": ("a.csv", data('text\n"' + "x" * 100_000), 2, "longer"),
    "short and long rows": ("a.csv", data("text,date\nOne\nTwo,2026-05-01,x,y\n"), 0, "not kept"),
    "brackets": ("a.md", data("[" * 20_000 + "a" + "](" * 20_000), 0, "Imported"),
    "endless Markdown": ("a.md", data("- a\n" * 1_000_001), 2, "larger than"),
    "long Markdown in JSON": (
        "a.json",
        lines({"agents": [], "blocks": [{"label": "a", "value": "- a\n" * 5}]}),
        2,
        "more",
    ),
    "deep lists": ("a.md", data("".join(f"{'  ' * depth}- a\n" for depth in range(200))), 0, "Imported"),
    "deep quotes": ("a.md", data(">" * 10_000 + " a"), 0, "Imported"),
    "control characters": ("a.md", data("a\x1b[31mb\x07\x7f"), 0, "Imported"),
    "front matter without end": ("a.md", data("---\na: b\n" * 1000), 0, "Imported"),
    "a pipe": ("a.md", os.mkfifo, 2, "pipe"),
    "a link to a device": ("a.md", lambda place: place.symlink_to("/dev/zero"), 2, "device"),
    "a link to nothing": ("a.md", lambda place: place.symlink_to("nothing"), 2, "There is no"),
    "links in a folder": ("d", folder(lambda place: (place / "a.md").symlink_to("/etc/passwd")), 2, "a link"),
    "a linked folder in it": ("d", folder(lambda place: (place / "sub").symlink_to("..")), 2, "a link"),
    "pipes in a folder": ("d", folder(lambda place: os.mkfifo(place / "MEMORY.md")), 2, "a pipe"),
    "a folder in bytes": ("d", folder(lambda place: (place / "MEMORY.md").write_bytes(b"\xff")), 2, "not UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file(name: str, bare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with its code and words, and writes nothing before all of it is read: a dry run reads the same."""
    file, make, code, word = HOSTILE[name]
    monkeypatch.setattr(files, "_LARGEST", LIMIT)
    monkeypatch.setattr(notes, "LONGEST", 15 if "long Markdown" in name else LIMIT)
    make(tmp_path / file)
    ended = bare("import", tmp_path / file, "--dry-run")
    said = (ended.out + ended.err).replace("Nothing was written", "Imported")
    assert (ended.code, word in said) == (code, True), said
    assert "\x1b" not in said
    assert ended.err.count("\n") == (code != 0)


@pytest.mark.parametrize("kind", [one for one in formats.FORMATS if one not in ("memtools", "markdown", "lines")])
@pytest.mark.parametrize("text", ["", "null", "0", '"text"', "[]", "[[]]", "{}", '{"a":[{}]}', "[1,null,{}]", "\n\n,"])
def test_any_json_as_any_format(kind: str, text: str, tmp_path: Path) -> None:
    """A wrong --format is refused in words."""
    (tmp_path / "a").write_text(text, "utf-8")
    with pytest.raises(Failure):
        formats.read(tmp_path / "a", kind)


def test_an_archive_is_read_no_further_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LARGEST", LIMIT)
    read: list[int] = []

    class Counting(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            read.append(size if size is not None else -1)
            return super().read(size)

    with pytest.raises(Failure):
        files.require_bounded(Counting(b" " * LIMIT * 2), tmp_path)
    assert read == [LIMIT + 1]
