"""Reads what an export contains."""

from collections.abc import Iterator

from memtools.adapters.archive.records import Replaced, record_of_item
from memtools.adapters.archive.stores import Stores, item_pages
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace


def record_pages(stores: Stores, scope: Scope, after: str | None = None) -> Iterator[list[Trace | Replaced]]:
    """Yield the scope's records after the sort key ``after``, in their order, page by page. Raises Conflict."""
    for items in item_pages(stores, scope, after=after):
        yield [record for item in items if (record := record_of_item(item))]


def version_of(record: Trace | Replaced) -> int | None:
    """The version that shows whether the record has changed; None for a replaced version, which never changes."""
    return record.version if isinstance(record, Trace) else None


def current_versions(stores: Stores, scope: Scope) -> dict[str, int | None]:
    """The sort keys of the scope's records, each with its current ``version_of``."""
    return {
        item["sk"]: int(item["version"]) if "id" in item else None
        for items in item_pages(stores, scope, only=("sk", "id", "version", "expiresAt"))
        for item in items
        if "id" in item or "expiresAt" in item
    }
