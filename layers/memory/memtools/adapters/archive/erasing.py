"""Lists and deletes everything of a scope for good: items, all versions of its documents, and its segment."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from secrets import token_bytes
from typing import Any, Final

from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.port import Entry
from memtools.adapters.archive.stores import Stores, documents_prefix, item_pages, version_pages
from memtools.adapters.aws import to_dynamodb
from memtools.adapters.segments import segment_key
from memtools.adapters.values import attributes
from memtools.domain.scope import Scope
from memtools.domain.trace import ERASED, ERASURE_KEPT, erasure
from memtools.errors import Unavailable
from memtools.retry import attempts

# DynamoDB's limit for a batch.
BATCH: Final = 25
# If the process was stopped for longer while it marked a scope, searches have read past the mark's time.
_LATE: Final = timedelta(minutes=1)
# A segment is larger. The lifecycle rule in template.yaml relies on that.
MARKER_SIZE: Final = len(ERASED) + 16


def entries_of(stores: Stores, scope: Scope) -> Iterator[Entry]:
    """Yield everything that the scope has, and nothing of another scope, whatever its name."""
    for items in item_pages(stores, scope, only=("sk", "id")):
        yield from (Entry(_kind(item), item["sk"]) for item in items if item["sk"] != ERASED)
    for versions in version_pages(stores, documents_prefix(scope)):
        for one in versions:
            yield Entry("deletionMarkers" if one.is_marker else "documentVersions", one.key, one.id)
    segment = segment_key(scope)
    for versions in version_pages(stores, segment):
        mine = [one for one in versions if one.key == segment]
        yield from (Entry("segmentVersions", one.key, one.id) for one in mine if one.size != MARKER_SIZE)
        if any(one.key > segment for one in versions):  # the segments of scopes whose names begin the same
            return


def mark_erased(stores: Stores, scope: Scope) -> None:
    """Make sure that nothing derived from what was erased is written, or used, any more. Call it after erasing.

    A tombstone in the table makes every process read the scope again. It is purged after ERASURE_KEPT. A marker in
    place of the segment lets those writes fail that began before: each has the condition that what it read is still
    there. The bucket removes the marker after a day. Neither has any content of the memory.
    """
    written_at = _write_tombstone(stores, scope)
    while stores.now() - written_at > _LATE:
        written_at = _write_tombstone(stores, scope)
    with translated("write to the bucket"):
        # No two markers are the same, so that none can be taken for another one.
        stores.s3.put_object(Bucket=stores.bucket, Key=segment_key(scope), Body=ERASED.encode() + token_bytes(16))


def _write_tombstone(stores: Stores, scope: Scope) -> datetime:
    """Write the tombstone of the scope; the time that it has."""
    now = stores.now()
    tombstone = erasure(now)
    place = {"pk": scope.key, "sk": ERASED, "purgeAt": int((now + ERASURE_KEPT).timestamp())}
    item = to_dynamodb({**attributes(tombstone), **place, "content": ""})
    with translated("write to the table"):
        stores.dynamodb.put_item(TableName=stores.table, Item=item)
    return now


def _kind(item: Mapping[str, Any]) -> str:
    match item["sk"].partition("#")[0]:
        case "trace":
            return "traces" if "id" in item else "keys"
        case "history":
            return "history"
        case _:
            return "others"


def delete(stores: Stores, scope: Scope, entries: Sequence[Entry]) -> None:
    """Delete up to BATCH entries. Entries that no longer exist are no error. Raises Unavailable."""
    _delete_items(stores, scope, [one.key for one in entries if one.version is None])
    _delete_versions(stores, [one for one in entries if one.version is not None])


def _delete_items(stores: Stores, scope: Scope, keys: Sequence[str]) -> None:
    """Delete the items. Requests that DynamoDB did not process are sent again."""
    if not keys:
        return
    requests = [{"DeleteRequest": {"Key": to_dynamodb({"pk": scope.key, "sk": key})}} for key in keys]
    with translated("delete from the table"):
        for _ in attempts():
            answer = stores.dynamodb.batch_write_item(RequestItems={stores.table: requests})
            requests = answer.get("UnprocessedItems", {}).get(stores.table, [])
            if not requests:
                return
    raise Unavailable("The table is busy. Run the command again: it continues from here.")


def _delete_versions(stores: Stores, entries: Sequence[Entry]) -> None:
    if not entries:
        return
    objects = [{"Key": one.key, "VersionId": one.version} for one in entries]
    with translated("delete from the bucket"):
        answer = stores.s3.delete_objects(Bucket=stores.bucket, Delete={"Objects": objects, "Quiet": True})
    if errors := answer.get("Errors"):
        codes = ", ".join(sorted({one.get("Code", "unknown") for one in errors}))
        raise Unavailable(f"{len(errors)} versions could not be deleted ({codes}). Run the command again.")
