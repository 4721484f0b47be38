"""A folder that one process at a time may write to. The standard library alone: ministack's Python runs this, too."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class Locked(RuntimeError):
    """Another process writes to the folder."""


@contextmanager
def held(folder: Path) -> Iterator[Path]:
    """The folder, made if it is missing, for this process alone until it ends. Raises Locked.

    The system lets go of the lock when the process ends, in whatever way.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as lock:
        try:
            _lock(lock)
        except OSError:
            raise Locked(f"another process keeps its memories in {folder}") from None
        yield folder


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
