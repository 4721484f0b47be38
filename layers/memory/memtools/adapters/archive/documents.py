"""Reads versions of documents from the bucket, and writes them to it.

A version that an undo made names other versions. S3 names them anew in each bucket, so in an export they are numbered.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.records import DocumentVersion
from memtools.adapters.archive.stores import READ_BUCKET, Stores, Version, documents_prefix, version_pages
from memtools.adapters.aws import Client, get_object
from memtools.adapters.documents import CONTENT_TYPE, document_key
from memtools.adapters.values import moment_text
from memtools.domain.document import ABSENT
from memtools.domain.scope import Scope
from memtools.domain.undoing import with_versions

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


def version_names(stores: Stores, scope: Scope, name: str) -> list[str]:
    """The names of all versions and deletion markers of a document, oldest first."""
    return [one.id for one in versions_of(stores, scope).get(documents_prefix(scope) + name, [])]


def read_versions(stores: Stores, scope: Scope, versions: dict[str, list[Version]]) -> list[DocumentVersion]:
    """The versions with their texts, document by document, oldest first."""
    prefix = documents_prefix(scope)
    found = []
    for key in sorted(versions):
        numbers = {one.id: _number(place) for place, one in enumerate(versions[key])}
        found += [_read(stores, one, key.removeprefix(prefix), numbers) for one in versions[key]]
    return found


def _number(place: int) -> str:
    """The name in an export of the document's version at this place, the oldest first."""
    return f"#{place}"


def _read(stores: Stores, version: Version, name: str, numbers: Mapping[str, str]) -> DocumentVersion:
    if version.is_marker:
        return DocumentVersion(name=name)
    with translated(READ_BUCKET):
        answer = stores.s3.get_object(Bucket=stores.bucket, Key=version.key, VersionId=version.id)
        data = answer["Body"].read()
    metadata = answer["Metadata"]
    return DocumentVersion(
        name=name,
        data=data,
        edit=with_versions(metadata["edit"], numbers) if "edit" in metadata else None,
        is_first=metadata.get("replaces") == ABSENT,
        writes=metadata.get("writes"),
        # S3 keeps times to the second.
        written_at=metadata.get(_WRITTEN) or moment_text(version.modified.replace(microsecond=0)),
    )


def write_version(
    stores: Stores, scope: Scope, version: DocumentVersion, current: str | None, earlier: Sequence[str]
) -> tuple[str | None, str]:
    """Write the version after the one with the tag ``current`` (None: there is none); its tag, None for a deletion.

    ``earlier`` names all versions of the document so far, oldest first; the name of the new one is returned too. Raises
    Unavailable if another version is the current one.
    """
    place: dict[str, Any] = {"Bucket": stores.bucket, "Key": documents_prefix(scope) + version.name}
    with translated("write to the bucket"):
        if version.data is None:
            return None, str(stores.s3.delete_object(**place)["VersionId"])
        answer = stores.s3.put_object(
            **place,
            Body=version.data,
            ContentType=CONTENT_TYPE,
            Metadata=_metadata(version, earlier, follows=current is not None),
            **({"IfMatch": current} if current else {"IfNoneMatch": "*"}),
        )
    return answer["ETag"], answer["VersionId"]


def _metadata(version: DocumentVersion, earlier: Sequence[str], *, follows: bool) -> dict[str, str]:
    """Like that of ``S3Personas``; ``follows``: the last of the earlier versions is no deletion marker."""
    replaces = ABSENT if version.is_first else (earlier[-1] if follows else None)
    edit = version.edit and with_versions(version.edit, {_number(place): one for place, one in enumerate(earlier)})
    values = {"edit": edit, "writes": version.writes, _WRITTEN: version.written_at, "replaces": replaces}
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
