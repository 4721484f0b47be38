"""moto made fit for thousands of traces: what its transactions copy, and what it never lets go of.

moto copies a whole table for every action of a transaction, to be able to put it back, and keeps a list of every item
ever copied. A hundred facts into a table of some thousand take seconds and gigabytes. Here a transaction copies its
table once, and the list is emptied after it. Nor are a query's results copied before they are written into the answer.
Right only where one request runs at a time (local/store.py).
"""

import copy
from types import SimpleNamespace
from typing import Any

from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend, table
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import Table


def spare() -> None:
    """Change moto in this process. Calling it again changes nothing."""
    if isinstance(models.copy, SimpleNamespace):
        return
    plain = DynamoDBBackend.transact_write_items
    backups: dict[str, Table] = {}

    def deepcopy(value: Any, memo: Any = None) -> Any:
        if not isinstance(value, Table):
            return copy.deepcopy(value, memo)
        if value.name not in backups:
            backups[value.name] = copy.deepcopy(value)
        return backups[value.name]

    def transact(backend: DynamoDBBackend, items: list[dict[str, Any]]) -> None:
        try:
            plain(backend, items)
        finally:
            backups.clear()
            for kind in (Item, Table):
                kind.instances_tracked.clear()

    def copied(value: Any, memo: Any = None) -> Any:
        is_result = isinstance(value, list) and all(isinstance(one, Item) for one in value)
        return list(value) if is_result else copy.deepcopy(value, memo)

    models.copy = SimpleNamespace(deepcopy=deepcopy)
    table.copy = SimpleNamespace(copy=copy.copy, deepcopy=copied)
    DynamoDBBackend.transact_write_items = transact
