"""Whether the bucket is as the template makes it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.stores import Stores
from memtools.errors import ToolError

from memtools_cli.checks.finding import Finding, checked, finding

_ENCRYPTIONS = (["AES256"], ["aws:kms"])  # the latter with a key of the user's own
_REDEPLOY = "Deploy the stack again: the template sets it."
_NOT_SET = frozenset(
    {
        "NoSuchLifecycleConfiguration",
        "NoSuchPublicAccessBlockConfiguration",
        "ServerSideEncryptionConfigurationNotFoundError",
    }
)


def findings(stores: Stores) -> Iterator[Finding]:
    """Versions, what expires, encryption, public access."""
    looks = {
        "bucket versions": _versions,
        "bucket expiry": _expiry,
        "bucket encryption": _encryption,
        "bucket public access": _public,
    }
    for check, look in looks.items():
        yield from checked(check, partial(look, stores))


def _versions(stores: Stores) -> Iterator[Finding]:
    with translated(f"read the bucket {stores.bucket}"):
        status = stores.s3.get_bucket_versioning(Bucket=stores.bucket).get("Status", "never enabled")
    advice = f"{_REDEPLOY} Until then, undo and memory_history have no earlier versions."
    yield finding("bucket versions", status == "Enabled", f"{stores.bucket}: {status}", advice)


def _expiry(stores: Stores) -> Iterator[Finding]:
    rules = _setting(stores, "get_bucket_lifecycle_configuration").get("Rules", [])
    on = any(one["Status"] == "Enabled" and "NoncurrentVersionExpiration" in one for one in rules)
    found = "old versions expire" if on else "old versions are kept forever"
    yield finding("bucket expiry", on, found, _REDEPLOY, otherwise="warning")


def _encryption(stores: Stores) -> Iterator[Finding]:
    rules = _setting(stores, "get_bucket_encryption").get("ServerSideEncryptionConfiguration", {}).get("Rules", [])
    kinds = [one.get("ApplyServerSideEncryptionByDefault", {}).get("SSEAlgorithm", "none") for one in rules]
    found = ", ".join(kinds) or "not set"
    yield finding("bucket encryption", kinds in _ENCRYPTIONS, found, _REDEPLOY, otherwise="warning")


def _public(stores: Stores) -> Iterator[Finding]:
    blocks = _setting(stores, "get_public_access_block").get("PublicAccessBlockConfiguration", {})
    closed = bool(blocks) and all(blocks.values())
    found = "blocked" if closed else "not blocked by the bucket itself"
    yield finding("bucket public access", closed, found, _REDEPLOY, otherwise="warning")


def _setting(stores: Stores, operation: str) -> dict[str, Any]:
    """A setting of the bucket, empty where it was never set."""
    try:
        with translated(f"{operation.replace('_', ' ')} of {stores.bucket}"):
            answer: dict[str, Any] = getattr(stores.s3, operation)(Bucket=stores.bucket)
    except ToolError as error:
        if error.details.get("aws") not in _NOT_SET:
            raise
        return {}
    return answer
