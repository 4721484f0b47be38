"""The table's schema as template.yaml makes it.

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
