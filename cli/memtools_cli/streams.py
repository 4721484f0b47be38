"""`-` for a file: standard input and output, by way of a file that only its owner can read."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from memtools_cli.files import decoded

STANDARD: Final = Path("-")


@contextmanager
def input_file(path: Path) -> Iterator[Path]:
    """The file, or one with all of standard input."""
    if path != STANDARD:
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "standard input"
        with file.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        yield file


def input_lines() -> list[str]:
    """The lines of standard input that say something."""
    text = decoded(sys.stdin.buffer.read(), Path("standard input"))
    return [line for line in text.splitlines() if line.strip()]


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """The file to write, or one that goes to standard output once it is whole."""
    if path != STANDARD:
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "standard output"
        yield file
        sys.stdout.flush()
        with file.open("rb") as written:
            shutil.copyfileobj(written, sys.stdout.buffer)
        sys.stdout.buffer.flush()
