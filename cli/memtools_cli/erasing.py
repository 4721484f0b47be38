"""All there is of one scope, deleted for good: items, every version of its documents, and its segment."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from memtools.adapters.segments import segment_key
from memtools.adapters.table.layout import history_prefix, to_dynamodb
from memtools.domain.scope import Scope
from memtools.retry import attempts

from memtools_cli.failures import refused, told, unavailable
from memtools_cli.output import Bar
from memtools_cli.receipt import Doomed, Receipt
from memtools_cli.stores import Stores, documents_prefix, pages, version_pages

# What one call to DynamoDB may delete.
_AT_ONCE: Final = 25
# Each after the first finds only what somebody has written meanwhile.
_PASSES: Final = 5
_HISTORY: Final = history_prefix("").partition("#")[0]


def there(stores: Stores, scope: Scope) -> Iterator[Doomed]:
    """All there is of the scope, and nothing of any other, whatever it is called."""
    for items in pages(stores, scope, only=("sk", "id")):
        yield from (Doomed(_kind(values), values["sk"]) for values in items)
    for versions in version_pages(stores, documents_prefix(scope)):
        for version in versions:
            yield Doomed("deletionMarkers" if version.is_marker else "documentVersions", version.key, version.id)
    segment = segment_key(scope)
    for versions in version_pages(stores, segment):
        yield from (Doomed("segmentVersions", one.key, one.id) for one in versions if one.key == segment)
        if any(one.key > segment for one in versions):  # from here on, those of scopes whose names begin the same
            return


def _kind(values: Mapping[str, Any]) -> str:
    match values["sk"].partition("#")[0]:
        case "trace":
            return "traces" if "id" in values else "keys"
        case prefix if prefix == _HISTORY:
            return "history"
        case _:
            return "others"


def counted(stores: Stores, scope: Scope) -> dict[str, int]:
    """How much there is, by kind."""
    return dict(Counter(one.kind for one in there(stores, scope)))


def erase(stores: Stores, scope: Scope, receipt: Receipt, bar: Bar) -> None:
    """Delete all there is of the scope, going on where an earlier run ended, and look again whether it is gone.

    Raises Failure where new things keep coming.
    """
    if receipt.pending:
        _delete(stores, scope, receipt, receipt.pending, bar)
    for _ in range(_PASSES):
        if not _pass(stores, scope, receipt, bar):
            receipt.finish()
            return
    raise refused(
        "Somebody keeps writing to this memory: it was erased, and is not empty. Stop who uses it, and run this again.",
        "conflict",
    )


def _pass(stores: Stores, scope: Scope, receipt: Receipt, bar: Bar) -> bool:
    """Delete what there is; whether there was anything."""
    rest = there(stores, scope)
    found = False
    while doomed := list(islice(rest, _AT_ONCE)):
        found = True
        _delete(stores, scope, receipt, doomed, bar)
    return found


def _delete(stores: Stores, scope: Scope, receipt: Receipt, doomed: Sequence[Doomed], bar: Bar) -> None:
    """Note them, delete them, count them."""
    receipt.note(doomed)
    _delete_items(stores, scope, [one.key for one in doomed if one.version is None])
    _delete_versions(stores, [one for one in doomed if one.version is not None])
    receipt.count()
    bar.advance(len(doomed))


def _delete_items(stores: Stores, scope: Scope, keys: Sequence[str]) -> None:
    """Delete the items; what DynamoDB leaves unprocessed is sent again."""
    if not keys:
        return
    requests = [{"DeleteRequest": {"Key": to_dynamodb({"pk": scope.key, "sk": key})}} for key in keys]
    with told("delete from the table"):
        for _ in attempts():
            answer = stores.dynamodb.batch_write_item(RequestItems={stores.table: requests})
            requests = answer.get("UnprocessedItems", {}).get(stores.table, [])
            if not requests:
                return
    raise unavailable("The table is busy. Run the command again: it goes on from here.")


def _delete_versions(stores: Stores, doomed: Sequence[Doomed]) -> None:
    if not doomed:
        return
    objects = [{"Key": one.key, "VersionId": one.version} for one in doomed]
    with told("delete from the bucket"):
        answer = stores.s3.delete_objects(Bucket=stores.bucket, Delete={"Objects": objects, "Quiet": True})
    if errors := answer.get("Errors"):
        codes = ", ".join(sorted({one.get("Code", "unknown") for one in errors}))
        raise unavailable(f"{len(errors)} versions could not be deleted ({codes}). Run the command again.")
