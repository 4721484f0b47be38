"""What documents and notes have in common: files that are read whole and written under a condition."""

from dataclasses import dataclass
from typing import Protocol

Path = tuple[str, ...]
"""The parts of a path below ``/memories``; the root has none."""


class Refused(Exception):
    """A command that cannot be carried out; the message is for the model."""


class ConditionFailed(Exception):
    """Somebody else wrote meanwhile, so nothing was written. Read again."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was read; ``tag`` names this version of it."""

    text: str
    tag: str


class Store(Protocol):
    """Files by their paths. Every method raises a MemoryToolError where the service or S3 does not answer."""

    def read(self, path: Path) -> File | None:
        """The file, if there is one."""
        ...

    def write(self, path: Path, text: str, replaces: File | None) -> None:
        """Replace this version of the file, or, without one, create it. Raises ConditionFailed, Refused."""
        ...

    def delete(self, path: Path, file: File) -> None:
        """Delete this version of the file. Raises ConditionFailed."""
        ...

    def below(self, path: Path) -> dict[Path, int]:
        """Every file below the folder, and its size in bytes."""
        ...
