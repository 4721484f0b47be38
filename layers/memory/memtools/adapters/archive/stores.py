"""Reads a scope's items and the versions of its objects, page by page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from memtools.adapters.archive.errors import translated
from memtools.adapters.aws import Client, StoreClock, from_dynamodb, to_dynamodb
from memtools.adapters.documents import document_key
from memtools.adapters.table.traces import ask_the_time
from memtools.adapters.values import Values
from memtools.domain.document import FILES
from memtools.domain.scope import Scope

READ_TABLE: Final = "read the table"
READ_BUCKET: Final = "read the bucket"


@dataclass(frozen=True, slots=True)
class Stores:
    """The table and the bucket of a deployment, with the clients to reach them, and their time."""

    dynamodb: Client
    s3: Client
    table: str
    bucket: str
    now: Callable[[], datetime]

    @classmethod
    def of(cls, dynamodb: Client, s3: Client, table: str, bucket: str) -> "Stores":
        """The stores, whose time is learned from their answers."""
        clock = StoreClock(partial(ask_the_time, dynamodb, table))
        clock.listen(dynamodb, s3)
        return cls(dynamodb, s3, table, bucket, clock.now)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an object, or a deletion marker."""

    key: str
    id: str
    is_marker: bool
    modified: datetime
    size: int = 0


def item_pages(
    stores: Stores, scope: Scope, *, after: str | None = None, only: tuple[str, ...] = ()
) -> Iterator[list[Values]]:
    """Yield the scope's items after the sort key ``after``, in their order, with the attributes in ``only`` or all."""
    alias = {f"#n{number}": name for number, name in enumerate(only)}
    projection = {"ProjectionExpression": ", ".join(alias), "ExpressionAttributeNames": alias} if only else {}
    start = {"ExclusiveStartKey": to_dynamodb({"pk": scope.key, "sk": after})} if after else {}
    pages = stores.dynamodb.get_paginator("query").paginate(
        TableName=stores.table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues=to_dynamodb({":pk": scope.key}),
        ConsistentRead=True,
        **projection,
        **start,
    )
    with translated(READ_TABLE):
        for page in pages:
            yield [from_dynamodb(item) for item in page["Items"]]


def documents_prefix(scope: Scope) -> str:
    """What the keys of the scope's documents begin with. It ends in a slash: ``ana`` must not match ``ana2``."""
    return document_key(scope, next(iter(FILES.values()))).rpartition("/")[0] + "/"


def version_pages(stores: Stores, prefix: str, **more: Any) -> Iterator[list[Version]]:
    """Yield the versions and deletion markers of all objects whose keys begin with the prefix."""
    pages = stores.s3.get_paginator("list_object_versions").paginate(Bucket=stores.bucket, Prefix=prefix, **more)
    with translated(READ_BUCKET):
        for page in pages:
            yield [
                Version(one["Key"], one["VersionId"], kind == "DeleteMarkers", one["LastModified"], one.get("Size", 0))
                for kind in ("Versions", "DeleteMarkers")
                for one in page.get(kind, [])
            ]
