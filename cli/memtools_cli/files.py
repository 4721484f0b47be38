"""Files that hold memories: only their owner can read them, and no link leads a read or a write elsewhere."""

import codecs
import os
import stat
from gzip import GzipFile
from pathlib import Path
from typing import IO, Final

from memtools_cli.failures import BadUsage, Refused

# Not every system has all of these flags.
_AS_IT_IS: Final = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
# The longer mark first: that of UTF-32 begins like that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LARGEST: Final = 64 * 1024 * 1024
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


def is_plain_file(file: Path) -> None:
    """Raise Failure for a device or a pipe, which may have no end. A link that the user named may lead to a file."""
    try:
        mode = file.stat().st_mode
    except OSError as error:
        raise BadUsage(f"Cannot read {file}: {error.strerror}.") from None
    if not stat.S_ISREG(mode):
        raise BadUsage(f"{file} is a device or a pipe, not a file. `-` reads standard input.")


def read_text(file: Path, *, bounded: bool = True) -> str:
    """The text of a file that the user named, to the byte. Raises Failure if it cannot be read."""
    is_plain_file(file)
    try:
        with file.open("rb") as opened:
            return decoded(require_bounded(opened, file) if bounded else opened.read(), file)
    except OSError as error:
        raise BadUsage(f"Cannot read {file}: {error.strerror}.") from None


def read_found_text(file: Path) -> str:
    """The text of a file that was found in a folder. Raises Failure for a link, a device or a pipe."""
    with os.fdopen(_open_regular(file, os.O_RDONLY), "rb") as opened:
        return decoded(require_bounded(opened, file), file)


def require_bounded(opened: IO[bytes] | GzipFile, file: Path) -> bytes:
    """All that the file holds. Raises Failure where that is more than fits in memory with ease."""
    data = opened.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise BadUsage(f"{file} is larger than {_LARGEST // 1024**2} MB. Split it.")
    return data


def decoded(data: bytes, file: Path) -> str:
    """The text, without a byte order mark. Raises Failure for what is no text."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise BadUsage(f"{file} is not UTF-8 text.") from None
    if "\0" in text:
        raise BadUsage(f"{file} is not text: it holds zero bytes.")
    return text


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
