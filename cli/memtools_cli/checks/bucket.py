"""Whether the bucket is as the template makes it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from botocore.exceptions import ClientError
from memtools.adapters.aws import code_of

from memtools_cli.checks.expected import ENCRYPTIONS
from memtools_cli.checks.finding import Finding, judged, survived
from memtools_cli.failures import told
from memtools_cli.stores import Stores

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
        yield from survived(check, partial(look, stores))


def _versions(stores: Stores) -> Iterator[Finding]:
    with told(f"read the bucket {stores.bucket}"):
        status = stores.s3.get_bucket_versioning(Bucket=stores.bucket).get("Status", "never enabled")
    advice = f"{_REDEPLOY} Until then, undo and memory_history have nothing to go by."
    yield judged("bucket versions", status == "Enabled", f"{stores.bucket}: {status}", advice)


def _expiry(stores: Stores) -> Iterator[Finding]:
    rules = _setting(stores, "get_bucket_lifecycle_configuration").get("Rules", [])
    on = any(one["Status"] == "Enabled" and "NoncurrentVersionExpiration" in one for one in rules)
    found = "old versions expire" if on else "old versions are kept for ever"
    yield judged("bucket expiry", on, found, _REDEPLOY, otherwise="warning")


def _encryption(stores: Stores) -> Iterator[Finding]:
    rules = _setting(stores, "get_bucket_encryption").get("ServerSideEncryptionConfiguration", {}).get("Rules", [])
    kinds = [one.get("ApplyServerSideEncryptionByDefault", {}).get("SSEAlgorithm", "none") for one in rules]
    found = ", ".join(kinds) or "not set"
    yield judged("bucket encryption", kinds in ENCRYPTIONS, found, _REDEPLOY, otherwise="warning")


def _public(stores: Stores) -> Iterator[Finding]:
    blocks = _setting(stores, "get_public_access_block").get("PublicAccessBlockConfiguration", {})
    closed = bool(blocks) and all(blocks.values())
    found = "blocked" if closed else "not blocked by the bucket itself"
    yield judged("bucket public access", closed, found, _REDEPLOY, otherwise="warning")


def _setting(stores: Stores, operation: str) -> dict[str, Any]:
    """What the bucket is set to; nothing where it was never set."""
    with told(f"{operation.replace('_', ' ')} of {stores.bucket}"):
        try:
            answer: dict[str, Any] = getattr(stores.s3, operation)(Bucket=stores.bucket)
        except ClientError as error:
            if code_of(error) not in _NOT_SET:
                raise
            return {}
    return answer
