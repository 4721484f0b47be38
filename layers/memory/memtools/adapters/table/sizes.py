"""How large items are, and what DynamoDB stores, by the DynamoDB Developer Guide, "Item sizes"."""

from collections.abc import Iterable, Mapping
from typing import Any

from memtools.adapters.table.schema import INDEX_ATTRIBUTES, INDEX_KEYS, KEYS
from memtools.errors import TooLarge

_KB = 1024
# DynamoDB allows 400 KB for an item together with its copy in the local index. The rest is for claims, which a write
# does not see, and because DynamoDB calls its sizes approximate.
ITEM_LIMIT = 384 * _KB
# DynamoDB allows 4 MB for all items of a transaction, as they are afterwards.
TRANSACTION_LIMIT = 3968 * _KB
_COPIED = frozenset({*KEYS, *INDEX_KEYS, *INDEX_ATTRIBUTES})
_CONTAINER = 3


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
