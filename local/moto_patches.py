"""moto made fit for thousands of traces: what its transactions copy, and what it never lets go of.

moto copies a whole table for every action of a transaction, to be able to put it back, and keeps a list of every item
ever copied. A hundred facts into a table of some thousand take seconds and gigabytes. Here a transaction copies once
what it writes to, and the list is emptied after it. Nor are a query's results copied before they are written into the
answer, where an index leaves attributes out by taking all values apart, and the answer is made value by value by the
shapes of the service: here it is what it says, as JSON. And keys, which are texts here, are sorted as texts. Right only
where one request runs at a time (local/store.py).
"""

import base64
import copy
import json
from types import SimpleNamespace
from typing import Any

from moto.core.responses import ActionResult
from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend, table
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import SecondaryIndex, Table
from moto.dynamodb.responses import DynamoHandler


def _backup(value: Table, operations: list[dict[str, Any]]) -> Table:
    """The table with copies of the items that the operations are about, and the very same others."""
    backup = copy.copy(value)
    backup.items = type(value.items)(dict, {partition: dict(rows) for partition, rows in value.items.items()})
    for operation in operations:
        names = operation.get("Key") or operation.get("Item") or {}
        if operation.get("TableName") != value.name or not names.keys() >= {value.hash_key_attr, value.range_key_attr}:
            continue
        rows = backup.items.get(DynamoType(names[value.hash_key_attr]), {})
        row = DynamoType(names[value.range_key_attr])
        if row in rows:
            rows[row] = copy.deepcopy(rows[row])
    return backup


def _plain(value: Any) -> Any:
    """What is no JSON yet: a value of moto's, or bytes in one."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value.to_json()


def spare() -> None:
    """Change moto in this process. Calling it again changes nothing."""
    if isinstance(models.copy, SimpleNamespace):
        return
    plain = DynamoDBBackend.transact_write_items
    operations: list[dict[str, Any]] = []
    backups: dict[str, Table] = {}

    def deepcopy(value: Any, memo: Any = None) -> Any:
        if not isinstance(value, Table):
            return copy.deepcopy(value, memo)
        if value.name not in backups:
            backups[value.name] = _backup(value, operations)
        return backups[value.name]

    def transact(backend: DynamoDBBackend, items: list[dict[str, Any]]) -> None:
        operations[:] = [operation for item in items for operation in item.values()]
        try:
            plain(backend, items)
        finally:
            backups.clear()
            for kind in (Item, Table):
                kind.instances_tracked.clear()

    def copied(value: Any, memo: Any = None) -> Any:
        is_result = isinstance(value, list) and all(isinstance(one, Item) for one in value)
        return list(value) if is_result else copy.deepcopy(value, memo)

    def project(index: SecondaryIndex, item: Item) -> Item:
        names = {*index.table_key_attrs, *(key["AttributeName"] for key in index.schema)}
        names |= {*index.projection.get("NonKeyAttributes", [])}
        found = Item(item.hash_key, item.range_key, {})
        found.attrs.update({name: value for name, value in item.attrs.items() if name in names})
        return found

    def all_items(of: Table) -> list[Item]:
        items = [item for rows in of.items.values() for item in rows.values()]
        return sorted(items, key=lambda item: (item.hash_key.value, item.range_key.value))

    def sorted_items(of: Table, hash_keys: list[str], range_keys: list[str | None], items: list[Item]) -> list[Item]:
        names = of._generate_attr_to_sort_by(hash_keys, range_keys)
        return sorted(items, key=lambda item: tuple(item.attrs[name].value for name in names))

    plain_query = DynamoHandler.query

    def query(handler: DynamoHandler) -> Any:
        answer = plain_query(handler)
        if not isinstance(answer, ActionResult):
            return answer
        return json.dumps(answer.result, default=_plain)

    Table.all_items, Table.sorted_items = all_items, sorted_items
    SecondaryIndex.project = project
    DynamoHandler.query = query
    models.copy = SimpleNamespace(deepcopy=deepcopy)
    table.copy = SimpleNamespace(copy=copy.copy, deepcopy=copied)
    DynamoDBBackend.transact_write_items = transact
