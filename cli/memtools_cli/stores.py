"""A scope's items in the table and its objects in the bucket, read page by page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memtools.adapters.documents import document_key
from memtools.adapters.table.layout import from_dynamodb, to_dynamodb
from memtools.domain.document import FILES
from memtools.domain.scope import Scope

from memtools_cli.failures import bad_usage, told
from memtools_cli.options import Place
from memtools_cli.stack import client, outputs_of

Values = dict[str, Any]
READING_TABLE: Final = "read the table"
READING_BUCKET: Final = "read the bucket"


@dataclass(frozen=True, slots=True)
class Stores:
    """The table and the bucket of a deployment."""

    dynamodb: Any
    s3: Any
    table: str
    bucket: str
    index: str


def stores_of(place: Place) -> Stores:
    """What the options name, each by itself or all by the stack. Raises Failure."""
    table, bucket = place.table, place.bucket
    if not (table and bucket):
        if not place.stack:
            raise bad_usage("Where is the memory? Name --stack, or --table and --bucket.")
        outputs = outputs_of(place.stack)
        table, bucket = table or outputs.get("TableName", ""), bucket or outputs.get("BucketName", "")
        if not (table and bucket):
            raise bad_usage(f"The stack {place.stack} has no outputs TableName and BucketName: is it one of memtools?")
    return Stores(client("dynamodb"), client("s3"), table, bucket, place.index)


def bucket_of(place: Place) -> str:
    """The bucket that the options name, by itself or by the stack; empty where they name none."""
    return place.bucket or (outputs_of(place.stack).get("BucketName", "") if place.stack else "")


def pages(
    stores: Stores, scope: Scope, *, after: str | None = None, only: tuple[str, ...] = ()
) -> Iterator[list[Values]]:
    """The scope's items by sort key, those behind ``after``; of each all attributes, or ``only`` these."""
    alias = {f"#n{number}": name for number, name in enumerate(only)}
    some = {"ProjectionExpression": ", ".join(alias), "ExpressionAttributeNames": alias} if only else {}
    start = to_dynamodb({"pk": scope.key, "sk": after}) if after else None
    while True:
        with told(READING_TABLE):
            answer = stores.dynamodb.query(
                TableName=stores.table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues=to_dynamodb({":pk": scope.key}),
                ConsistentRead=True,
                **some,
                **({"ExclusiveStartKey": start} if start else {}),
            )
        yield [from_dynamodb(item) for item in answer["Items"]]
        start = answer.get("LastEvaluatedKey")
        if not start:
            return


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an object, or the marker of its deletion."""

    key: str
    id: str
    is_marker: bool
    modified: datetime


def documents_prefix(scope: Scope) -> str:
    """What the keys of the scope's documents begin with, up to and with the slash."""
    return document_key(scope, next(iter(FILES.values()))).rpartition("/")[0] + "/"


def version_pages(stores: Stores, prefix: str, **more: Any) -> Iterator[list[Version]]:
    """The versions and markers of all objects whose keys begin with the prefix."""
    marks: dict[str, str] = {}
    while True:
        with told(READING_BUCKET):
            answer = stores.s3.list_object_versions(Bucket=stores.bucket, Prefix=prefix, **more, **marks)
        yield [
            Version(one["Key"], one["VersionId"], kind == "DeleteMarkers", one["LastModified"])
            for kind in ("Versions", "DeleteMarkers")
            for one in answer.get(kind, [])
        ]
        if not answer.get("IsTruncated"):
            return
        marks = {"KeyMarker": answer["NextKeyMarker"]}
        if answer.get("NextVersionIdMarker"):
            marks["VersionIdMarker"] = answer["NextVersionIdMarker"]


def oldest_first(stores: Stores, scope: Scope) -> dict[str, list[Version]]:
    """The scope's documents by key, with all versions and markers.

    A list tells versions and markers apart but not their order among each other: where there are markers, it is asked
    for one entry at a time.
    """
    prefix = documents_prefix(scope)
    found = [version for page in version_pages(stores, prefix) for version in page]
    if any(version.is_marker for version in found):
        found = [version for page in version_pages(stores, prefix, MaxKeys=1) for version in page]
    by_key: dict[str, list[Version]] = {}
    for version in found:
        by_key.setdefault(version.key, []).insert(0, version)
    return by_key
