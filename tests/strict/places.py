"""Where items stand in moto's tables, in this process."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from tests.strict.sizes import LocalIndex, stored_size

# DynamoDB leaves alone what expired longer ago.
_FIVE_YEARS = timedelta(days=5 * 365)


@dataclass(frozen=True)
class Place:
    """A key in a table."""

    table: Table
    partition: DynamoType
    row: DynamoType

    @classmethod
    def of(cls, table: str, key: Any) -> "Place":
        """The place of an item, given its key or all of it."""
        found = next(one for one in _tables() if one.name == table)
        assert found.range_key_attr
        return cls(found, DynamoType(key[found.hash_key_attr]), DynamoType(key[found.range_key_attr]))

    @property
    def item(self) -> dict[str, Any] | None:
        """What stands there, in DynamoDB's typed form, with binaries as bytes."""
        item = self._rows.get(self.row)
        return None if item is None else item.to_json()["Attributes"]

    @property
    def _rows(self) -> dict[DynamoType, Item]:
        rows: dict[DynamoType, Item] = self.table.items[self.partition]
        return rows

    def copy(self) -> Item | None:
        """What stands there, for ``put_back``."""
        return copy.deepcopy(self._rows.get(self.row))

    def put_back(self, item: Item | None) -> None:
        """Undo what was written since."""
        self._rows.pop(self.row, None)
        if item is not None:
            self._rows[self.row] = item

    def size(self, item: Any) -> int:
        """The bytes that the limit of an item is about, if it stands here."""
        return stored_size(item, map(_local, self.table.indexes))


def _local(index: Any) -> LocalIndex:
    keys = frozenset(index.schema_key_attrs)
    copied = keys | {*index.table_key_attrs, *index.projection.get("NonKeyAttributes", ())}
    return LocalIndex(keys, None if index.projection["ProjectionType"] == "ALL" else copied)


def _tables() -> Iterator[Table]:
    for account in dynamodb_backends.values():
        for backend in account.values():
            yield from backend.tables.values()


def expire(moment: datetime) -> None:
    """Remove all items whose time is over, each as a whole."""
    oldest, now = (moment - _FIVE_YEARS).timestamp(), moment.timestamp()
    for table in _tables():
        name = table.ttl.get("AttributeName")
        for rows in table.items.values() if name else ():
            for key in [key for key, item in rows.items() if oldest < _number(item.attrs.get(name)) < now]:
                del rows[key]


def _number(value: DynamoType | None) -> float:
    """What a TTL attribute says; what is no number says nothing."""
    return float(value.value) if value is not None and value.is_number() else 0
