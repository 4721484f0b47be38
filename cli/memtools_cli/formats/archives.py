"""The file inside a zip that holds the memories, unpacked as far as it is bounded."""

import gzip
import zipfile
import zlib
from pathlib import Path
from typing import IO, Final

from memtools_cli.failures import BadUsage
from memtools_cli.files import decoded, require_bounded

# In this order: the second holds the same memories as the first, without the names of categories.
_MEMBERS: Final = ("memories.jsonl.gz", "memories.json", "conversations.json")


def is_zip(path: Path) -> bool:
    """Whether the file begins as a zip does."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def read_member(path: Path) -> str:
    """The text of the file with the memories. Raises Failure where there is none, or it is too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            for wanted in _MEMBERS:
                for name in archive.namelist():
                    if name.rpartition("/")[2] == wanted:
                        with archive.open(name) as member:
                            return _text(member, wanted, path)
    except (zipfile.BadZipFile, zlib.error, gzip.BadGzipFile, EOFError, RuntimeError, NotImplementedError, OSError):
        raise BadUsage(f"{path} is a damaged or encrypted zip. Unpack it yourself, and import what is in it.") from None
    raise BadUsage(f"{path} has none of {', '.join(_MEMBERS)}. Unpack it, and import what is in it.")


def _text(member: IO[bytes], name: str, path: Path) -> str:
    if name.endswith(".gz"):
        with gzip.open(member) as unpacked:
            return decoded(require_bounded(unpacked, path), path)
    return decoded(require_bounded(member, path), path)
