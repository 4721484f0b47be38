"""Files that hold memories: private, made exclusively, and never reached through a link."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from memtools_cli import files, formats
from memtools_cli.failures import Failure, Refused

from tests.calls import Caller
from tests.cli.worlds import Run, whose


def public(place: Path, _: Path) -> None:
    place.write_text("theirs", "utf-8")
    place.chmod(0o666)


# What somebody can put where the command line is about to write, with `other` as what must stay as it is.
IN_THE_WAY: dict[str, Callable[[Path, Path], object]] = {
    "a link": lambda place, other: place.symlink_to(other),
    "a link that leads nowhere": lambda place, other: place.symlink_to(other.with_name("missing")),
    "a hard link": lambda place, other: os.link(other, place),
    "a file that all can write": public,
    "a pipe": lambda place, _: os.mkfifo(place),
}
FOREIGN = pytest.mark.parametrize("put", IN_THE_WAY.values(), ids=IN_THE_WAY)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file elsewhere."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "other").write_text("- kept", "utf-8")
    return folder / "other"


def look_of(place: Path) -> tuple[object, ...]:
    """What would show that somebody touched it."""
    about = place.lstat()
    return about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_nlink


@FOREIGN
@pytest.mark.parametrize("name", [".file.part.json.new", "file.part", "file.part.json", "file"])
def test_an_export_touches_nothing_that_stands_in_its_way(
    *, ana: Caller, run: Run, tmp_path: Path, other: Path, name: str, put: Callable[[Path, Path], object]
) -> None:
    """It is refused by name, before anything is written through a link or into a file that others can read."""
    ana.remember("One")
    place = tmp_path / name
    put(place, other)
    before = look_of(place)
    ended = run("export", tmp_path / "file", *whose(ana.scope))
    assert ended.code in (1, 2)
    assert str(place) in ended.reply["error"]["message"]
    assert (look_of(place), other.read_text("utf-8")) == (before, "- kept")
    assert not other.with_name("missing").exists()


@FOREIGN
def test_replacing_a_file_touches_nothing_beside_it(
    tmp_path: Path, other: Path, put: Callable[[Path, Path], object]
) -> None:
    """Receipts and pages are written beside their place first, where something may stand already."""
    place = tmp_path / ".page.md.new"
    put(place, other)
    before = look_of(place)
    with pytest.raises(Refused, match=r"\.page\.md\.new"):
        files.replace_file(tmp_path / "page.md", "secret")
    assert look_of(place) == before
    assert not (tmp_path / "page.md").exists()


def test_an_export_is_for_its_owner_alone_from_the_start(
    ana: Caller, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the umask, no file of it is ever one that others can read."""
    ana.remember("One")
    modes: list[int] = []
    plain = os.open

    def noting(path: str, flags: int, mode: int = 0o777, **more: int) -> int:
        opened = plain(path, flags, mode, **more)
        if flags & os.O_CREAT and str(path).startswith(str(tmp_path)):
            modes.append(os.fstat(opened).st_mode & 0o777)
        return opened

    before = os.umask(0)
    try:
        monkeypatch.setattr(os, "open", noting)
        assert run("export", tmp_path / "file", *whose(ana.scope)).code == 0
    finally:
        os.umask(before)
    assert set(modes) == {0o600}
    assert [(file.name, file.stat().st_mode & 0o777) for file in tmp_path.iterdir()] == [("file", 0o600)]


def test_a_failed_write_leaves_no_memory_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        files.replace_file(tmp_path / "file", "secret")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["MEMORY.md", "USER.md", "SOUL.md"])
@pytest.mark.parametrize("kind", ["a link", "a link that leads nowhere", "a pipe", "a folder"])
def test_an_imported_folder_is_read_without_links_and_pipes(tmp_path: Path, other: Path, name: str, kind: str) -> None:
    """What is no plain file is refused by name, and never opened."""
    folder = tmp_path / "folder"
    folder.mkdir()
    if kind == "a folder":
        (folder / name).mkdir()
    else:
        IN_THE_WAY[kind](folder / name, other)
    with pytest.raises(Failure, match=name) as refused:
        formats.read(folder, "markdown")
    assert "kept" not in json.dumps(refused.value.as_dict())
