"""Writes records into an empty scope, of any name.

The records alone decide what each item must contain. So a second run can tell what the first one wrote: a scope with
nothing else in it is an import that was begun, and any other scope is not changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from botocore.exceptions import ClientError

from memtools.adapters.archive.documents import (
    current_tag,
    read_versions,
    version_names,
    versions_of,
    write_version,
)
from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.items import record_of_item
from memtools.adapters.archive.port import Documents, not_empty
from memtools.adapters.archive.records import DocumentVersion, Replaced, sort_key
from memtools.adapters.archive.stores import Stores, item_pages
from memtools.adapters.aws import code_of, from_dynamodb, in_parallel, to_dynamodb
from memtools.adapters.table.statements import claimed_text, stored_attributes, untouched
from memtools.adapters.values import Values, attributes, moment_text, trace_sort_key
from memtools.domain.scope import Scope
from memtools.domain.trace import ERASED, Trace
from memtools.errors import Conflict, Unavailable

# An item whose text nobody claims any more keeps its key, and nothing else.
_KEY: Final = {"pk", "sk"}
_RETENTION: Final = timedelta(days=30)  # for facts that expire: how long their items are kept then
_LATE: Final = timedelta(minutes=1)
_BATCH: Final = 256  # items with one time of change, a microsecond apart: searches go by that time


@dataclass(slots=True)
class _Planned:
    """The required content of an item: a record, the ids that claim its text, or both."""

    record: Trace | Replaced | None = None
    claimed_by: set[str] = field(default_factory=set)


def write_all(stores: Stores, scope: Scope, records: Sequence[Trace | Replaced], documents: Documents) -> Iterator[int]:
    """Write the records and documents that are missing; yields the number of items and versions written each time.

    Before writing, raises Conflict if the scope has anything else, and ValueError if a record occurs twice.
    """
    plan = _plan_of(scope, records)
    missing = _missing_keys(stores, scope, plan)
    missing_documents = _missing_versions(stores, scope, documents)
    yield len(plan) - len(missing)
    for start in range(0, len(missing), _BATCH):
        now = stores.now()
        items = [
            _item(scope, key, plan[key], now + timedelta(microseconds=place))
            for place, key in enumerate(missing[start : start + _BATCH])
        ]
        for _ in in_parallel(partial(_put, stores, scope, now), items):
            yield 1
    for versions in missing_documents:
        tag = current_tag(stores, scope, versions[0].name)
        names = version_names(stores, scope, versions[0].name)
        for version in versions:
            tag, name = write_version(stores, scope, version, tag, names)
            names.append(name)
            yield 1


def _plan_of(scope: Scope, records: Sequence[Trace | Replaced]) -> dict[str, _Planned]:
    """The scope's items by sort key, in the order in which their traces last changed.

    A trace keeps its id. If that is not the key of its text in this scope, the trace claims its text at that key.
    """
    plan: dict[str, _Planned] = {}
    for record in sorted(records, key=lambda one: (one if isinstance(one, Trace) else one.trace).changed_at):
        key = sort_key(record)
        planned = plan.setdefault(key, _Planned())
        if planned.record is not None:
            raise ValueError(f"holds {key} twice")
        planned.record = record
        if isinstance(record, Trace) and (claimed := claimed_text(scope, record)):
            claim_key = trace_sort_key(claimed)
            plan.setdefault(claim_key, _Planned()).claimed_by.add(record.id)
    return plan


def _missing_keys(stores: Stores, scope: Scope, plan: Mapping[str, _Planned]) -> list[str]:
    """The sort keys that are still missing. Raises Conflict if an item differs from the plan."""
    written = set()
    for items in item_pages(stores, scope):
        for item in items:
            if item.keys() == _KEY or item["sk"] == ERASED:
                continue
            planned = plan.get(item["sk"])
            if planned is None or not _is_as_planned(item, planned):
                raise not_empty(scope)
            written.add(item["sk"])
    return [key for key in plan if key not in written]


def _is_as_planned(item: Values, planned: _Planned) -> bool:
    """Whether the item equals the plan, except for retrievals, which a search may have counted in the meantime."""
    found, record = record_of_item(item), planned.record
    if isinstance(found, Trace) and isinstance(record, Trace):
        found = replace(found, retrieval_count=record.retrieval_count, last_retrieved_at=record.last_retrieved_at)
    return found == record and set(item.get("claimedBy", ())) == planned.claimed_by


def _missing_versions(stores: Stores, scope: Scope, documents: Documents) -> list[Sequence[DocumentVersion]]:
    """The versions of each document that are still missing. Raises Conflict if there are others."""
    found: dict[str, list[DocumentVersion]] = {}
    for version in read_versions(stores, scope, versions_of(stores, scope)):
        found.setdefault(version.name, []).append(version)
    for name, versions in found.items():
        if versions != documents.get(name, [])[: len(versions)]:
            raise not_empty(scope)
    rest = [versions[len(found.get(name, [])) :] for name, versions in documents.items()]
    return [versions for versions in rest if versions]


def _item(scope: Scope, key: str, planned: _Planned, now: datetime) -> dict[str, Any]:
    """The item to write.

    Searches read what has changed since they last looked, so an imported trace changes now. ``imported`` keeps the time
    at which it changed before.
    """
    values: Values = {"pk": scope.key, "sk": key}
    match planned.record:
        case Trace() as trace:
            values |= stored_attributes(scope, trace, _RETENTION)
            values["changedAt"] = moment_text(now)
            values["imported"] = {"at": moment_text(now), "changedAt": moment_text(trace.changed_at)}
        case Replaced(trace, expires_at):
            values |= {"trace": attributes(trace), "purgeAt": expires_at}
    if planned.claimed_by:
        values["claimedBy"] = planned.claimed_by
        values.pop("purgeAt", None)
    return to_dynamodb(values)


def _put(stores: Stores, scope: Scope, stamp: datetime, item: Any) -> None:
    """Put the item if it does not exist, or if an earlier attempt with a lost response has put it.

    Raises Unavailable if the process was stopped since ``stamp``: searches have read past that time.
    """
    if stores.now() - stamp > _LATE:
        raise Unavailable("The import was stopped for a while. Run the command again: it continues from here.")
    with translated("write to the table"):
        try:
            stores.dynamodb.put_item(
                TableName=stores.table,
                Item=item,
                **untouched().as_parameters(),
            )
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise
            found: Any = error.response.get("Item", {})
            if from_dynamodb(found) != from_dynamodb(item):
                raise Conflict(
                    f"Somebody else writes to the memory of agent {scope.agent}, user {scope.user}; the import stopped."
                    " Erase it, make sure that nobody uses it, and import again."
                ) from None
