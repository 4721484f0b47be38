"""Whether the table is as the template makes it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.stores import Stores
from memtools.adapters.table.schema import INDEX_ATTRIBUTES, INDEX_KEYS, KEYS, TTL_ATTRIBUTE

from memtools_cli.checks.finding import Finding, checked, finding

_REDEPLOY = "Deploy the stack again: the template sets it."


def findings(stores: Stores, index: str) -> Iterator[Finding]:
    """Keys, index, expiry, backups, protection."""
    yield from checked("table", partial(_description, stores, index))
    yield from checked("table expiry", partial(_expiry, stores))
    yield from checked("table backups", partial(_backups, stores))


def _description(stores: Stores, index: str) -> Iterator[Finding]:
    with translated(f"describe the table {stores.table}"):
        table = stores.dynamodb.describe_table(TableName=stores.table)["Table"]
    keys = _keys(table)
    yield finding("table", keys == KEYS, f"{stores.table}, keys {', '.join(keys)}", "This is not a table of memtools.")
    yield _index(index, table)
    on_demand = table.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST"
    yield finding(
        "table billing", on_demand, "on demand" if on_demand else "provisioned", _REDEPLOY, otherwise="warning"
    )
    guarded = table.get("DeletionProtectionEnabled", False)
    yield finding(
        "table deletion protection",
        guarded,
        "on" if guarded else "off",
        "Set DeletionProtection to true, unless this stack is a trial.",
        otherwise="warning",
    )


def _index(name: str, table: dict[str, Any]) -> Finding:
    indexes = {one["IndexName"]: one for one in table.get("LocalSecondaryIndexes", [])}
    index = indexes.get(name)
    if index is None:
        there = ", ".join(indexes) or "none"
        return Finding("table index", "problem", f"no {name}; there: {there}", "Name it with --index.")
    projection = index["Projection"]
    lacking = INDEX_ATTRIBUTES - {*projection.get("NonKeyAttributes", [])}
    complete = _keys(index) == INDEX_KEYS and (projection["ProjectionType"] == "ALL" or not lacking)
    advice = "An index cannot be changed: export, deploy a new stack, import."
    return finding("table index", complete, name + ("" if complete else ", of another form"), advice)


def _keys(described: dict[str, Any]) -> dict[str, str]:
    return {one["AttributeName"]: one["KeyType"] for one in described["KeySchema"]}


def _expiry(stores: Stores) -> Iterator[Finding]:
    with translated("read the table's expiry"):
        ttl = stores.dynamodb.describe_time_to_live(TableName=stores.table)["TimeToLiveDescription"]
    on = ttl["TimeToLiveStatus"] == "ENABLED" and ttl.get("AttributeName") == TTL_ATTRIBUTE
    yield finding("table expiry", on, f"{ttl['TimeToLiveStatus']} {ttl.get('AttributeName', '')}".strip(), _REDEPLOY)


def _backups(stores: Stores) -> Iterator[Finding]:
    with translated("read the table's backups"):
        answer = stores.dynamodb.describe_continuous_backups(TableName=stores.table)["ContinuousBackupsDescription"]
    status = answer.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus", "DISABLED")
    yield finding("table backups", status == "ENABLED", f"point-in-time recovery {status}", _REDEPLOY)
