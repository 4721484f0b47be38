"""The archive of a deployment: its table and its bucket."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtools.adapters.archive import documents, erasing, importing, items
from memtools.adapters.archive.port import Documents, Entry
from memtools.adapters.archive.records import DocumentVersion, Replaced
from memtools.adapters.archive.stores import Stores
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace


@dataclass(frozen=True, slots=True)
class DeployedArchive:
    """The Archive on DynamoDB and S3."""

    stores: Stores
    batch: int = erasing.BATCH
    remaining: str = (
        "For 30 days a tombstone in the table, and for a day or two a marker in the bucket. They have no content. They"
        " keep processes that knew the memory from storing it again."
    )

    @property
    def place(self) -> Mapping[str, str]:
        return {"table": self.stores.table, "bucket": self.stores.bucket}

    def record_pages(self, scope: Scope, after: str | None = None) -> Iterator[list[Trace | Replaced]]:
        return items.record_pages(self.stores, scope, after)

    def current_versions(self, scope: Scope) -> dict[str, int | None]:
        return items.current_versions(self.stores, scope)

    def documents(self, scope: Scope) -> list[DocumentVersion]:
        return documents.read_versions(self.stores, scope, documents.versions_of(self.stores, scope))

    def document_names(self, scope: Scope) -> list[tuple[str, str]]:
        return [(one.key, one.id) for some in documents.versions_of(self.stores, scope).values() for one in some]

    def write_all(self, scope: Scope, records: Sequence[Trace | Replaced], documents: Documents) -> Iterator[int]:
        return importing.write_all(self.stores, scope, records, documents)

    def entries_of(self, scope: Scope) -> Iterator[Entry]:
        return erasing.entries_of(self.stores, scope)

    def delete(self, scope: Scope, entries: Sequence[Entry]) -> None:
        erasing.delete(self.stores, scope, entries)

    def mark_erased(self, scope: Scope) -> None:
        erasing.mark_erased(self.stores, scope)

    def read_agent_document(self, scope: Scope, name: str) -> bytes | None:
        return documents.read_agent_document(self.stores.s3, self.stores.bucket, scope, name)

    def create_agent_document(self, scope: Scope, name: str, data: bytes) -> None:
        documents.create_agent_document(self.stores.s3, self.stores.bucket, scope, name, data)
