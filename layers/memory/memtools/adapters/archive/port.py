"""What export, import and erase need from the stores of a memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from memtools.adapters.archive.records import DocumentVersion, Replaced
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.errors import Conflict

KINDS: Final = ("traces", "history", "keys", "others", "documentVersions", "deletionMarkers", "segmentVersions")
# Documents by name, the versions oldest first.
Documents = Mapping[str, Sequence[DocumentVersion]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to delete: by its key, or a version of a document or an object by key and version. One of KINDS."""

    kind: str
    key: str
    version: str | None = None


class Archive(Protocol):
    """The stores of a memory, for operators, without the tools' rules. All methods raise ToolError."""

    @property
    def place(self) -> Mapping[str, str]:
        """What names the stores: a table and a bucket, or a file."""
        ...

    @property
    def batch(self) -> int:
        """How many entries ``delete`` takes at most."""
        ...

    @property
    def remaining(self) -> str:
        """What is left of a scope that was erased, for its receipt."""
        ...

    def record_pages(self, scope: Scope, after: str | None = None) -> Iterator[list[Trace | Replaced]]:
        """The scope's records in the order of their ``sort_key``, from behind ``after``, page by page.

        They are without replaced versions past their retention.
        """
        ...

    def current_versions(self, scope: Scope) -> dict[str, int | None]:
        """The sort keys of the scope's records, each with its ``version_of``, as they are now."""
        ...

    def documents(self, scope: Scope) -> list[DocumentVersion]:
        """All versions of the scope's documents, document by document, oldest first."""
        ...

    def document_names(self, scope: Scope) -> list[tuple[str, str]]:
        """Each version of a document by the names of both: any change to the documents changes the list."""
        ...

    def write_all(self, scope: Scope, records: Sequence[Trace | Replaced], documents: Documents) -> Iterator[int]:
        """Write the records and documents that are missing; yields how many are there after each step.

        Before writing, raises Conflict if the scope has anything else, and ValueError if a record occurs twice.
        """
        ...

    def entries_of(self, scope: Scope) -> Iterator[Entry]:
        """Yield everything that the scope has, and nothing of another scope, whatever its name."""
        ...

    def delete(self, scope: Scope, entries: Sequence[Entry]) -> None:
        """Delete up to ``batch`` entries. Entries that no longer exist are no error."""
        ...

    def mark_erased(self, scope: Scope) -> None:
        """Make sure that nothing derived from what was erased is written, or used, any more. Call it after erasing."""
        ...

    def read_agent_document(self, scope: Scope, name: str) -> bytes | None:
        """A document of the agent, such as SOUL.md; None if it does not exist."""
        ...

    def create_agent_document(self, scope: Scope, name: str, data: bytes) -> None:
        """Create a document of the agent. Raises Unavailable if it exists by now."""
        ...


def not_empty(scope: Scope) -> Conflict:
    """The error of an import into a scope that has something else."""
    return Conflict(
        f"The memory of agent {scope.agent}, user {scope.user} is not empty, and what it holds is not of this import."
        " Nothing was written. Choose an empty one, or erase this one first."
    )
