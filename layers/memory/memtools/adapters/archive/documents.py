"""Reads versions of documents from the bucket, and writes them to it."""

from typing import Any, Final

from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.records import DocumentVersion
from memtools.adapters.archive.stores import READ_BUCKET, Stores, Version, documents_prefix, version_pages
from memtools.adapters.aws import Client, get_object
from memtools.adapters.documents import CONTENT_TYPE, document_key
from memtools.adapters.table.layout import moment_text
from memtools.domain.document import ABSENT
from memtools.domain.scope import Scope

# When an imported version was first written; S3 knows only the time of the import.
_WRITTEN: Final = "written"


def versions_of(stores: Stores, scope: Scope) -> dict[str, list[Version]]:
    """The scope's documents by key, each with all versions and deletion markers, oldest first.

    A page lists versions and markers separately, so their common order is lost. If there are markers, pages with one
    entry each keep the order.
    """
    prefix = documents_prefix(scope)
    found = [version for page in version_pages(stores, prefix) for version in page]
    if any(version.is_marker for version in found):
        found = [version for page in version_pages(stores, prefix, MaxKeys=1) for version in page]
    by_key: dict[str, list[Version]] = {}
    for version in found:
        by_key.setdefault(version.key, []).insert(0, version)
    return by_key


def read_versions(stores: Stores, scope: Scope, versions: dict[str, list[Version]]) -> list[DocumentVersion]:
    """The versions with their texts, document by document, oldest first."""
    prefix = documents_prefix(scope)
    return [_read(stores, one, key.removeprefix(prefix)) for key in sorted(versions) for one in versions[key]]


def _read(stores: Stores, version: Version, name: str) -> DocumentVersion:
    if version.is_marker:
        return DocumentVersion(name=name)
    with translated(READ_BUCKET):
        answer = stores.s3.get_object(Bucket=stores.bucket, Key=version.key, VersionId=version.id)
        data = answer["Body"].read()
    metadata = answer["Metadata"]
    return DocumentVersion(
        name=name,
        data=data,
        edit=metadata.get("edit"),
        is_first=metadata.get("replaces") == ABSENT,
        writes=metadata.get("writes"),
        # S3 keeps times to the second.
        written_at=metadata.get(_WRITTEN) or moment_text(version.modified.replace(microsecond=0)),
    )


def write_version(stores: Stores, scope: Scope, version: DocumentVersion, current: str | None) -> str | None:
    """Write the version after the one with the tag ``current`` (None: there is none); its tag, or None for a deletion.

    Raises Unavailable if another version is the current one.
    """
    place: dict[str, Any] = {"Bucket": stores.bucket, "Key": documents_prefix(scope) + version.name}
    with translated("write to the bucket"):
        if version.data is None:
            stores.s3.delete_object(**place)
            return None
        answer = stores.s3.put_object(
            **place,
            Body=version.data,
            ContentType=CONTENT_TYPE,
            Metadata=_metadata(version, current),
            **({"IfMatch": current} if current else {"IfNoneMatch": "*"}),
        )
    tag: str = answer["ETag"]
    return tag


def _metadata(version: DocumentVersion, current: str | None) -> dict[str, str]:
    """Like that of ``S3Personas``, but ``replaces`` says only whether there was an earlier version."""
    replaces = ABSENT if version.is_first else ("imported" if current else None)
    values = {"edit": version.edit, "writes": version.writes, _WRITTEN: version.written_at, "replaces": replaces}
    return {name: value for name, value in values.items() if value is not None}


def current_tag(stores: Stores, scope: Scope, name: str) -> str | None:
    """The tag of the document's current version, None if there is none."""
    key = documents_prefix(scope) + name
    with translated(READ_BUCKET):
        found = stores.s3.list_objects_v2(Bucket=stores.bucket, Prefix=key, MaxKeys=1).get("Contents", [])
    return next((one["ETag"] for one in found if one["Key"] == key), None)


def read_agent_document(s3: Client, bucket: str, scope: Scope, name: str) -> bytes | None:
    """A document of the agent, such as SOUL.md; None if it does not exist."""
    with translated(READ_BUCKET):
        answer = get_object(s3, Bucket=bucket, Key=document_key(scope, name))
        data: bytes | None = answer and answer["Body"].read()
    return data


def create_agent_document(s3: Client, bucket: str, scope: Scope, name: str, data: bytes) -> None:
    """Create a document of the agent. Raises Unavailable if it exists by now."""
    place = {"Bucket": bucket, "Key": document_key(scope, name)}
    with translated(f"write {name} to the bucket"):
        s3.put_object(**place, Body=data, ContentType=CONTENT_TYPE, IfNoneMatch="*")
