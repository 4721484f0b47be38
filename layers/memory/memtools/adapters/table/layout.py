"""DynamoDB items: their keys, how values are written, and how large they are. A scope is one partition."""

from collections.abc import Iterable, Mapping
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from memtools.adapters.table.schema import INDEX_ATTRIBUTES, INDEX_KEYS, KEYS
from memtools.adapters.values import trace_sort_key
from memtools.domain.scope import Scope
from memtools.errors import TooLarge

Item = dict[str, Any]

# Written by retrievals. Changes only add to them, and never set them.
COUNTED = frozenset({"retrievalCount", "lastRetrievedAt"})

# The key of no item, at which anybody may look. A scope's key has a slash or more.
CLOCK = "clock"

_KB = 1024
# DynamoDB allows 400 KB for an item together with its copy in the local index. The rest is for claims, which a write
# does not see, and because DynamoDB calls its sizes approximate.
ITEM_LIMIT = 384 * _KB
# DynamoDB allows 4 MB for all items of a transaction, as they are afterwards.
TRANSACTION_LIMIT = 3968 * _KB
_COPIED = frozenset({*KEYS, *INDEX_KEYS, *INDEX_ATTRIBUTES})
_CONTAINER = 3

_serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize


def to_dynamodb(values: Mapping[str, Any]) -> Item:
    """Python values as DynamoDB's typed ones."""
    return {name: _serialize(value) for name, value in values.items()}


def from_dynamodb(item: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB's typed values as Python ones, numbers as Decimal, binaries as Binary."""
    return {name: _deserialize(value) for name, value in item.items()}


def trace_key(scope: Scope, trace_id: str) -> Item:
    """The key of the item that has a trace and the claims to its text."""
    return to_dynamodb({"pk": scope.key, "sk": trace_sort_key(trace_id)})


# ---------------------------------------------------------------- sizes, by the DynamoDB Developer Guide, "Item sizes"


def size_of(value: Any) -> int:
    """The bytes of an attribute's value."""
    match value:
        case str() | bytes():
            return len(value.encode() if isinstance(value, str) else value)
        case bool() | None:
            return 1
        case int():
            return 2 + (len(str(abs(value))) + 1) // 2
        case Mapping():
            return _CONTAINER + len(value) + size_of_item(value)
        case list() | tuple():
            return _CONTAINER + len(value) + sum(map(size_of, value))
        case _:  # a set
            return sum(map(size_of, value))


def size_of_item(values: Mapping[str, Any]) -> int:
    """The bytes of the attributes, with their names."""
    return sum(len(name.encode()) + size_of(value) for name, value in values.items())


def require_storable(traces: Iterable[Mapping[str, Any]], replaced: Iterable[Mapping[str, Any]] = ()) -> None:
    """Raise TooLarge if one of a transaction's traces, or all of its items together, exceed what DynamoDB stores.

    ``replaced`` are the versions that get an item of their own.
    """
    total = sum(map(size_of_item, replaced))
    for values in traces:
        size = size_of_item(values)
        total += size
        copied = {name: value for name, value in values.items() if name in _COPIED}
        _require(size + size_of_item(copied), ITEM_LIMIT, "A memory", "Shorten its text or its tags")
    _require(total, TRANSACTION_LIMIT, "What this call changes", "Send it in several calls, with fewer memories each")


def _require(size: int, limit: int, what: str, advice: str) -> None:
    if size > limit:
        raise TooLarge(
            f"{what} would take {size} bytes with its history; the limit is {limit}. Nothing was written. {advice}.",
            size=size,
            limit=limit,
        )
