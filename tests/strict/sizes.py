"""How large DynamoDB takes an item to be.

Source: the DynamoDB Developer Guide, "DynamoDB item sizes and formats", and "Item size" in "Constraints". They call the
size of a number approximate, and do not say what a set adds to its values: here nothing [M]. A negative number takes a
byte more [M].
"""

import base64
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

KB = 1024
ITEM_BYTES = 400 * KB
TRANSACTION_BYTES = 4 * KB * KB
BATCH_BYTES = 16 * KB * KB

_CONTAINER = 3
_ELEMENT = 1

Item = Mapping[str, Any]


def item_size(item: Item) -> int:
    """The bytes of an item in DynamoDB's typed form: the names of its attributes and their values."""
    return sum(_text(name) + _value(typed) for name, typed in item.items())


@dataclass(frozen=True)
class LocalIndex:
    """A local index: its keys, and the attributes that it copies; ``None`` for all."""

    keys: frozenset[str]
    copied: frozenset[str] | None

    def entry(self, item: Item) -> Item:
        """What the index has of an item: nothing of one that lacks a key of the index."""
        if not self.keys <= item.keys():
            return {}
        return {name: value for name, value in item.items() if self.copied is None or name in self.copied}


def stored_size(item: Item, indexes: Iterable[LocalIndex]) -> int:
    """The bytes that the limit of an item is about: its own, and those of its entries in local indexes."""
    return item_size(item) + sum(item_size(index.entry(item)) for index in indexes)


def _text(text: str) -> int:
    return len(text.encode())


def _number(text: str) -> int:
    """One byte, and one for two digits each, without zeros at either end."""
    sign, digits, _ = Decimal(text).as_tuple()
    significant = "".join(map(str, digits)).strip("0")
    return 1 + math.ceil(len(significant) / 2) + sign


def _binary(data: str | bytes) -> int:
    return len(data if isinstance(data, bytes) else base64.b64decode(data))


_SCALARS: Mapping[str, Callable[[Any], int]] = {
    "S": _text,
    "N": _number,
    "B": _binary,
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
}


def _value(typed: Mapping[str, Any]) -> int:
    ((kind, value),) = typed.items()
    if kind in _SCALARS:
        return _SCALARS[kind](value)
    if kind == "M":
        return _CONTAINER + _ELEMENT * len(value) + item_size(value)
    if kind == "L":
        return _CONTAINER + _ELEMENT * len(value) + sum(map(_value, value))
    return sum(map(_SCALARS[kind[0]], value))  # a set
