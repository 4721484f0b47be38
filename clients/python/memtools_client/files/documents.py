"""MEMORY.md and USER.md as files, through memory_read and memory_edit."""

from collections.abc import Mapping
from typing import Final, Literal

from memtools_client.client import MemoryClient
from memtools_client.errors import Conflict, MemoryToolError
from memtools_client.files.store import ConditionFailed, File, Path, Refused

_TARGETS: Final[Mapping[str, Literal["self", "user"]]] = {"MEMORY.md": "self", "USER.md": "user"}


class Documents:
    """A Store of the two documents. Each write names the version it was made on. An empty document does not exist."""

    def __init__(self, client: MemoryClient) -> None:
        self._client = client

    @staticmethod
    def has(path: Path) -> bool:
        """Whether this is the path of a document, existing or not."""
        return len(path) == 1 and path[0] in _TARGETS

    def read(self, path: Path) -> File | None:
        """See Store."""
        found = self._client.memory_read(target=_TARGETS[path[0]])
        return File(found.text, found.version) if found.text else None

    def write(self, path: Path, text: str, replaces: File | None) -> None:
        """See Store. It replaces the whole text, which occurs exactly once."""
        target = _TARGETS[path[0]]
        try:
            if replaces is None:
                self._create(target, text)
            elif not text:
                self._client.memory_edit("remove", text=replaces.text, target=target, version=replaces.tag)
            elif text != replaces.text:
                self._client.memory_edit("replace", text=replaces.text, with_=text, target=target, version=replaces.tag)
        except Conflict:
            raise ConditionFailed from None

    def _create(self, target: Literal["self", "user"], text: str) -> None:
        """Add the first line as an entry, then replace it with the whole text: no tool creates a document verbatim.

        A reader in between sees nothing that is not in the text. Where the second write fails, the first is undone.
        """
        version = self._client.memory_read(target=target).version
        first = self._client.memory_edit("add", text=_first_line(text), target=target, version=version)
        if first.text == text:
            return
        try:
            self._client.memory_edit("replace", text=first.text, with_=text, target=target, version=first.version)
        except MemoryToolError:
            self._client.memory_edit("undo", target=target, version=first.version)
            raise

    def delete(self, path: Path, file: File) -> None:
        """See Store. The document's history keeps the version."""
        self.write(path, "", file)

    def below(self, path: Path) -> dict[Path, int]:
        """See Store."""
        found = {} if path else {(name,): self.read((name,)) for name in _TARGETS}
        return {name: len(file.text.encode()) for name, file in found.items() if file}


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.split("\n") if line.strip(" \t\r-*+")), "")
    if not line:
        raise Refused("A memory document cannot be created without text.")
    return line
