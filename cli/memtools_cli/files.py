"""Files that hold memories: only their owner can read them, and no link leads a read or a write elsewhere."""

import os
import stat
from pathlib import Path
from typing import IO, Final

from memtools_cli.failures import BadUsage, Refused

# Not every system has all of these flags.
_AS_IT_IS: Final = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_MODES: Final = {"r": os.O_RDONLY, "r+": os.O_RDWR, "a": os.O_WRONLY | os.O_APPEND}


def exists(file: Path) -> bool:
    """Whether the name is taken, even by a link that leads nowhere."""
    return os.path.lexists(file)


def create(file: Path) -> IO[bytes]:
    """A new file that only its owner can read. Raises Refused if the name is taken."""
    try:
        return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_IT_IS, 0o600), "wb")
    except FileExistsError:
        raise Refused(f"{file} exists already. If nobody needs it, remove it.") from None


def reopen(file: Path, mode: str) -> IO[bytes]:
    """A file that ``create`` made, to read ("r"), change ("r+") or extend ("a"). Raises Refused for any other file."""
    opened = _open_regular(file, _MODES[mode])
    about = os.fstat(opened)
    if hasattr(os, "geteuid") and (about.st_uid != os.geteuid() or about.st_mode & 0o077 or about.st_nlink != 1):
        os.close(opened)
        raise Refused(f"Others can change {file}. If nobody needs it, remove it.")
    return os.fdopen(opened, f"{mode}b")


def replace_file(file: Path, text: str) -> None:
    """Replace the file's content, completely or not at all; it is on disk before this returns."""
    beside = file.with_name(f".{file.name}.new")
    out = create(beside)
    try:
        with out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def read_text(file: Path) -> str:
    """The text of a file that the user named. Raises Failure if it cannot be read."""
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise BadUsage(f"Cannot read {file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise _not_text(file) from None


def read_found_text(file: Path) -> str:
    """The text of a file that was found in a folder. Raises Failure for a link, a device or a pipe."""
    with os.fdopen(_open_regular(file, os.O_RDONLY), encoding="utf-8") as opened:
        try:
            return opened.read()
        except UnicodeDecodeError:
            raise _not_text(file) from None


def _not_text(file: Path) -> BadUsage:
    return BadUsage(f"{file} is not UTF-8 text.")


def _open_regular(file: Path, flags: int) -> int:
    try:
        # Looked at before it is opened, because opening a device can have effects; and after, because it can change.
        if stat.S_ISREG(file.lstat().st_mode):
            opened = os.open(file, flags | _AS_IT_IS)
            if stat.S_ISREG(os.fstat(opened).st_mode):
                return opened
            os.close(opened)
    except OSError as error:
        raise BadUsage(f"Cannot open {file}: {error.strerror}.") from None
    raise Refused(f"{file} is a link, a device or a pipe, not a file.")
