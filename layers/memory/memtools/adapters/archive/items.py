"""Reads the records of a scope from its items in the table."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memtools.adapters.archive.records import Replaced
from memtools.adapters.archive.stores import Stores, item_pages
from memtools.adapters.values import Values, trace_of
from memtools.domain.scope import Scope
from memtools.domain.trace import ERASED, Trace
from memtools.errors import Conflict


def record_of_item(item: Mapping[str, Any]) -> Trace | Replaced | None:
    """The item's record; None if it is none: the claims of a text follow from traces. Raises Conflict.

    An imported trace that has not changed since has the time of its last change before the import.
    """
    kind = item["sk"].partition("#")[0]
    if kind == "history" and isinstance(item.get("trace"), dict):
        return Replaced(trace_of(item["trace"]), int(item["purgeAt"]))
    if kind == ERASED:
        return None
    if kind != "trace":
        raise Conflict(f"The table holds an item of a kind that this version does not know ({kind}). Nothing was done.")
    if "id" not in item:
        return None
    trace = trace_of(item)
    imported = item.get("imported")
    if imported and imported["at"] == item["changedAt"]:
        return replace(trace, changed_at=datetime.fromisoformat(imported["changedAt"]))
    return trace


def record_pages(stores: Stores, scope: Scope, after: str | None = None) -> Iterator[list[Trace | Replaced]]:
    """The scope's records in the order of their sort keys, from behind ``after``, page by page. Raises Conflict.

    They are without replaced versions past their retention, which DynamoDB may keep for a while longer.
    """
    for items in item_pages(stores, scope, after=after):
        now = stores.now().timestamp()
        yield [record for item in items if not _purged(item, now) and (record := record_of_item(_kept(item, now)))]


def _purged(item: Values, now: float) -> bool:
    return "trace" in item and bool(item["purgeAt"] <= now)


def _kept(item: Values, now: float) -> Values:
    """The item without purged versions in the inline history of its trace."""
    if isinstance(trace := item.get("trace"), dict):
        return {**item, "trace": _kept(trace, now)}
    if "inlineHistory" not in item:
        return item
    return {**item, "inlineHistory": [one for one in item["inlineHistory"] if one.get("purgeAt", now + 1) > now]}


def current_versions(stores: Stores, scope: Scope) -> dict[str, int | None]:
    """The sort keys of the scope's records, each with its ``version_of``, as they are now.

    They are without replaced versions past their retention.
    """
    now = stores.now().timestamp()
    return {
        item["sk"]: int(item["version"]) if "id" in item else None
        for items in item_pages(stores, scope, only=("sk", "id", "version", "purgeAt"))
        for item in items
        if item["sk"] != ERASED and ("id" in item or item.get("purgeAt", now) > now)
    }
