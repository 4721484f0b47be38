"""The table's schema as template.yaml makes it, and the sort keys of its items.

A test compares schema and template, and the check-up a deployment's table.
"""

from typing import Final

KEYS: Final = {"pk": "HASH", "sk": "RANGE"}
INDEX_KEYS: Final = {"pk": "HASH", "changedAt": "RANGE"}
INDEX_ATTRIBUTES: Final = frozenset(
    {
        "id",
        "content",
        "tags",
        "version",
        "status",
        "occurredAt",
        "createdAt",
        "updatedAt",
        "expiresAt",
        "embedding",
        "embeddingModel",
    }
)
TTL_ATTRIBUTE: Final = "purgeAt"


def trace_sort_key(trace_id: str) -> str:
    """The sort key of the item that has a trace and the claims to its text."""
    return f"trace#{trace_id}"


def history_prefix(trace_id: str) -> str:
    """What the sort keys of a trace's replaced versions start with."""
    return f"history#{trace_id}#"


def history_sort_key(trace_id: str, version: int) -> str:
    """The sort key of a replaced version. Versions sort as numbers."""
    return f"{history_prefix(trace_id)}{version:010d}"
