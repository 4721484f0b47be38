"""An export back into an empty scope, of any name.

What each item of the table has to be follows from the file alone. So a second run finds out by itself what the first
one wrote: a scope that holds nothing else is one that this import has begun, and anything else is left alone.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from botocore.exceptions import ClientError
from memtools.adapters.aws import code_of, in_parallel
from memtools.adapters.table.layout import attributes, from_dynamodb, moment_text, to_dynamodb
from memtools.adapters.table.statements import claimed_text
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace, key_of

from memtools_cli.documents import current_tag, pages_of, put
from memtools_cli.exporting import NOUNS
from memtools_cli.failures import Failure, bad_usage, refused, told
from memtools_cli.files import read_text
from memtools_cli.output import Bar
from memtools_cli.records import HEADER, Page, Past, Record, line_of, record_of_item, record_of_line, sort_key
from memtools_cli.stores import Stores, oldest_first, pages

Values = dict[str, Any]

# What is left at a key whose text nobody holds any more; nothing stands there.
_EMPTY_PLACE: Final = {"pk", "sk"}
_IS_EMPTY: Final = "attribute_not_exists(id) AND attribute_not_exists(claimed_by) AND attribute_not_exists(#trace)"
_AT_ONCE: Final = 256  # written under one time, which searches go by


@dataclass(slots=True)
class Planned:
    """One item of the table: a trace, a replaced version, or only the place of a text; and who else says that text."""

    record: Trace | Past | None = None
    claimed_by: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Export:
    """What a file holds."""

    records: list[Trace | Past]
    documents: dict[str, list[Page]]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        history = sum(isinstance(record, Past) for record in self.records)
        documents = sum(map(len, self.documents.values()))
        return {"traces": len(self.records) - history, "history": history, "documentVersions": documents}


def read_export(file: Path) -> Export:
    """The file's content. Raises Failure, which names the line, unless it is whole and all in it is understood."""
    lines = read_text(file).split("\n")
    if not lines or _json(lines[0], file, 1) != HEADER:
        raise bad_usage(f"{file} is no export of memtools, or one of another version.")
    if len(lines) < 3 or lines[-1]:  # noqa: PLR2004 - the first line, the last, and its line break
        raise bad_usage(f"{file} has no end: it was cut off.")
    found = Export([], {})
    for number, line in enumerate(lines[1:-2], 2):
        record = _record(line, file, number)
        if isinstance(record, Page):
            found.documents.setdefault(record.name, []).append(record)
        else:
            found.records.append(record)
    if _json(lines[-2], file, len(lines) - 1) != {"kind": "end", **found.counts}:
        raise bad_usage(f"{file} does not hold what its last line says: lines are missing, or it was cut off.")
    return found


def _json(line: str, file: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise bad_usage(f"{file}, line {number}: no valid JSON.") from None


def _record(line: str, file: Path, number: int) -> Record:
    values = _json(line, file, number)
    try:
        if isinstance(values, dict) and values.get("kind") in NOUNS:
            return record_of_line(values)
    except ValueError as error:
        raise bad_usage(f"{file}, line {number}: {error}.") from None
    raise bad_usage(f"{file}, line {number}: not a line of an export.")


def import_export(stores: Stores, scope: Scope, export: Export, bar: Bar) -> None:
    """Write all of the export into the scope. Raises Failure where the scope holds anything else."""
    plan = plan_of(scope, export.records)
    missing = _missing(stores, scope, plan)
    rest = _documents_to_write(stores, scope, export)
    bar.advance(len(plan) - len(missing))
    for start in range(0, len(missing), _AT_ONCE):
        now = datetime.now(UTC)
        items = [
            _item(scope, key, plan[key], now + timedelta(microseconds=place))
            for place, key in enumerate(missing[start : start + _AT_ONCE])
        ]
        for _ in in_parallel(lambda item: _write(stores, scope, item), items):
            bar.advance()
    for versions in rest.values():
        tag = current_tag(stores, scope, versions[0].name)
        for version in versions:
            tag = put(stores, scope, version, tag)
            bar.advance()


def plan_of(scope: Scope, records: Sequence[Trace | Past]) -> dict[str, Planned]:
    """The items that make up the scope, by sort key, in the order in which their traces last changed.

    A trace keeps its id. Where that is not the key of its text in this scope, the item at that key says who holds it.
    """
    plan: dict[str, Planned] = {}
    for record in sorted(records, key=lambda one: one.changed_at if isinstance(one, Trace) else one.trace.changed_at):
        planned = plan.setdefault(sort_key(record), Planned())
        if planned.record is not None:
            raise bad_usage(f"The file holds {sort_key(record)} twice.")
        planned.record = record
        if isinstance(record, Trace) and (held := claimed_text(scope, record)):
            plan.setdefault(f"trace#{held}", Planned()).claimed_by.add(record.id)
    return plan


def _missing(stores: Stores, scope: Scope, plan: Mapping[str, Planned]) -> list[str]:
    """The sort keys still to be written. Raises Failure where something stands there that is not of the plan."""
    there = set()
    for page in pages(stores, scope):
        for values in page:
            if values.keys() == _EMPTY_PLACE:
                continue
            planned = plan.get(values["sk"])
            if planned is None or not _is_as_planned(values, planned):
                raise _not_empty(scope)
            there.add(values["sk"])
    return [key for key in plan if key not in there]


def _not_empty(scope: Scope) -> Failure:
    return refused(
        f"The memory of agent {scope.agent}, user {scope.user} is not empty, and what is there is not of this import."
        " Nothing was written. Choose an empty one, or erase this one first.",
        "conflict",
    )


def _is_as_planned(values: Values, planned: Planned) -> bool:
    """Whether the item is what the plan says; retrievals, which a search may have counted meanwhile, aside."""
    found = record_of_item(values)
    if set(values.get("claimedBy", ())) != planned.claimed_by:
        return False
    if isinstance(found, Trace) and isinstance(planned.record, Trace):
        counted = planned.record.retrieval_count, planned.record.last_retrieved_at
        found = replace(found, retrieval_count=counted[0], last_retrieved_at=counted[1])
    if found is None or planned.record is None:
        return found is planned.record
    return line_of(found) == line_of(planned.record)


def _item(scope: Scope, key: str, planned: Planned, now: datetime) -> dict[str, Any]:
    """The item to write.

    Searches read what changed since they last looked. So an imported trace changes now; when it changed before, an
    export of it tells.
    """
    values: Values = {"pk": scope.key, "sk": key}
    match planned.record:
        case Trace() as trace:
            values |= attributes(replace(trace, changed_at=now))
            values["textKey"] = key_of(scope, trace.content)
            values["imported"] = {"at": moment_text(now), "changedAt": moment_text(trace.changed_at)}
        case Past(trace, expires_at):
            values |= {"trace": attributes(trace), "expiresAt": expires_at}
    if planned.claimed_by:
        values["claimedBy"] = planned.claimed_by
    return to_dynamodb(values)


def _write(stores: Stores, scope: Scope, item: Any) -> None:
    """Put the item where nothing stands, or where a first attempt, whose answer got lost, has put it."""
    with told("write to the table"):
        try:
            stores.dynamodb.put_item(
                TableName=stores.table,
                Item=item,
                ConditionExpression=_IS_EMPTY,
                ExpressionAttributeNames={"#trace": "trace"},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise
            met: Any = error.response.get("Item", {})
            if from_dynamodb(met) != from_dynamodb(item):
                raise refused(
                    f"Somebody else writes to the memory of agent {scope.agent}, user {scope.user}; the import stopped."
                    " Erase it, see to it that nobody uses it, and import again.",
                    "conflict",
                ) from None


def _documents_to_write(stores: Stores, scope: Scope, export: Export) -> dict[str, list[Page]]:
    """The versions still to be written. Raises Failure where those there are not the first ones of the export's."""
    there: dict[str, list[Page]] = {}
    for page in pages_of(stores, scope, oldest_first(stores, scope)):
        there.setdefault(page.name, []).append(page)
    for name, versions in there.items():
        if versions != export.documents.get(name, [])[: len(versions)]:
            raise _not_empty(scope)
    rest = {name: versions[len(there.get(name, [])) :] for name, versions in export.documents.items()}
    return {name: versions for name, versions in rest.items() if versions}
