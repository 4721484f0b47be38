"""Versions of a scope's documents, out of the bucket and into it."""

from collections.abc import Mapping
from typing import Any, Final

from memtools.domain.document import ABSENT
from memtools.domain.scope import Scope

from memtools_cli.failures import told
from memtools_cli.records import Page, second_text
from memtools_cli.stores import READING_BUCKET, Stores, Version, documents_prefix

# A version that was imported keeps the time of its writing here; S3 knows that of the import alone.
_WRITTEN: Final = "written"


def pages_of(stores: Stores, scope: Scope, found: Mapping[str, list[Version]]) -> list[Page]:
    """The versions found of all documents, document by document, oldest first."""
    prefix = documents_prefix(scope)
    return [_page(stores, version, key.removeprefix(prefix)) for key in sorted(found) for version in found[key]]


def _page(stores: Stores, version: Version, name: str) -> Page:
    if version.is_marker:
        return Page(name=name)
    with told(READING_BUCKET):
        answer = stores.s3.get_object(Bucket=stores.bucket, Key=version.key, VersionId=version.id)
        data = answer["Body"].read()
    metadata = answer["Metadata"]
    return Page(
        name=name,
        data=data,
        edit=metadata.get("edit"),
        is_first=metadata.get("replaces") == ABSENT,
        writes=metadata.get("writes"),
        written_at=metadata.get(_WRITTEN) or second_text(version.modified),
    )


def put(stores: Stores, scope: Scope, page: Page, current: str | None) -> str | None:
    """Store the version on top of the one with the tag ``current`` (None: of nothing); its own tag, None if deleted.

    Raises Failure where something else stands there.
    """
    place: dict[str, Any] = {"Bucket": stores.bucket, "Key": documents_prefix(scope) + page.name}
    with told("write to the bucket"):
        if page.data is None:
            stores.s3.delete_object(**place)
            return None
        answer = stores.s3.put_object(
            **place,
            Body=page.data,
            ContentType="text/markdown; charset=utf-8",
            Metadata=_metadata(page, current),
            **({"IfMatch": current} if current else {"IfNoneMatch": "*"}),
        )
    tag: str = answer["ETag"]
    return tag


def _metadata(page: Page, current: str | None) -> dict[str, str]:
    """As the adapter writes it; ``replaces`` only tells whether there was anything before."""
    told_ = {"edit": page.edit, "writes": page.writes, _WRITTEN: page.written_at}
    replaces = ABSENT if page.is_first else ("imported" if current else None)
    return {name: value for name, value in {**told_, "replaces": replaces}.items() if value is not None}


def current_tag(stores: Stores, scope: Scope, name: str) -> str | None:
    """The tag of the document's current version, None where it has none."""
    key = documents_prefix(scope) + name
    with told(READING_BUCKET):
        found = stores.s3.list_objects_v2(Bucket=stores.bucket, Prefix=key, MaxKeys=1).get("Contents", [])
    return next((one["ETag"] for one in found if one["Key"] == key), None)
