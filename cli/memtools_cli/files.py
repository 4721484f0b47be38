"""Files that are written whole or not at all, and that nobody else can read: they hold memories."""

import os
from pathlib import Path

from memtools_cli.failures import BadUsage


def replace_file(file: Path, text: str) -> None:
    """Replace the file's content; it is on disk before this returns."""
    beside = file.with_name(f".{file.name}.new")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)


def read_text(file: Path) -> str:
    """The file's text. Raises Failure where it cannot be read as such."""
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise BadUsage(f"Cannot read {file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadUsage(f"{file} is not UTF-8 text.") from None
