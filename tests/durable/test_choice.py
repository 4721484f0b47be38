"""Which store `make local` runs over, and that a folder is for one service at a time."""

from pathlib import Path

import pytest

from local.__main__ import chosen_store
from local.lock import held


@pytest.mark.parametrize(
    ("kind", "folder"), [("ministack", ""), ("", "memories"), ("moto", "memories"), ("Ministack", "memories")]
)
def test_half_a_choice_or_an_unknown_one_is_refused(kind: str, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE", kind)
    monkeypatch.setenv("DATA", folder)
    with pytest.raises(RuntimeError, match="STORE is ministack, and goes with DATA"), chosen_store():
        pass


def test_without_a_choice_the_memory_ends_with_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STORE", "DATA"):
        monkeypatch.delenv(name, raising=False)
    with chosen_store() as lasts:
        assert lasts == "until it ends"


def test_a_folder_is_made_for_its_owner_alone_and_held_by_one(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "memories"
    with held(folder):
        assert folder.stat().st_mode & 0o777 == 0o700
        with pytest.raises(RuntimeError, match="another process keeps its memories"), held(folder):
            pass
    with held(folder):
        pass
