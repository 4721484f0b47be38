"""What the checks compare with: what template.yaml says of the table and the bucket. A test compares the two."""

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
TTL_ATTRIBUTE: Final = "expiresAt"
ENCRYPTIONS: Final = (["AES256"], ["aws:kms"])  # the latter with a key of your own
# A scope that is nobody's: what is asked of it changes nothing.
NOBODY: Final = "memtools-doctor"
