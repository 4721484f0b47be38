"""What both kinds of files have in common."""

from dataclasses import dataclass
from typing import Protocol

Path = tuple[str, ...]
"""The parts of a path below ``/memories``; the root has none."""


class Refused(Exception):
    """A command that cannot be carried out; the message is for the model."""


class ConditionFailed(Exception):
    """Somebody else wrote meanwhile; nothing was written. Read again."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was read; ``tag`` is what a write has to meet again."""

    text: str
    tag: str


class Store(Protocol):
    """Files that are read whole and written under a condition."""

    def read(self, path: Path) -> File | None:
        """The file, if there is one."""
        ...

    def write(self, path: Path, text: str, replaces: File | None) -> None:
        """Put the text where ``replaces`` stands, or where nothing does; raises ConditionFailed."""
        ...

    def delete(self, path: Path, file: File) -> None:
        """Take the file away as it was read; raises ConditionFailed."""
        ...

    def below(self, path: Path) -> dict[Path, int]:
        """Every file below the folder, and its size in bytes."""
        ...
