"""DynamoDB's conditions and updates for traces, all in one place.

An item at ``trace#<key>`` is a trace born with that key, or only the place of a text that other traces hold, or both:
``holders`` names the traces that may say the key's text without having been born with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtools.adapters.items import COUNTED, Item, attributes, to_dynamodb
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace, key_of
from memtools.ports import Holds, Write

IS_FREE = "attribute_not_exists(id)"
IS_VERSION = "#version = :expected"
IS_ALIVE = "#status = :live AND (attribute_not_exists(expiresAt) OR expiresAt > :now)"


def trace_key(scope: Scope, trace_id: str) -> Item:
    """Where a trace stands."""
    return to_dynamodb({"pk": scope.key, "sk": f"trace#{trace_id}"})


def history_key(scope: Scope, trace_id: str, version: int) -> dict[str, str]:
    """Where a replaced version stands; versions sort as numbers."""
    return {"pk": scope.key, "sk": f"history#{trace_id}#{version:010d}"}


def held_text(scope: Scope, trace: Trace | None) -> str | None:
    """The key of the text that a live trace says without having been born with it."""
    if trace is None or not trace.live:
        return None
    key = key_of(scope, trace.content)
    return None if key == trace.id else key


@dataclass(slots=True)
class Update:
    """One UpdateItem, collected from all that a commit does to the item: no item may stand twice in a transaction."""

    sets: dict[str, Any] = field(default_factory=dict)
    removes: set[str] = field(default_factory=set)
    adds: dict[str, Any] = field(default_factory=dict)
    deletes: dict[str, Any] = field(default_factory=dict)
    condition: str = ""
    expected: int | None = None

    def as_parameters(self) -> dict[str, Any]:
        """Expression, condition, names and values."""
        touched = sorted({*self.sets, *self.removes, *self.adds, *self.deletes})
        name_of = {name: f"#n{number}" for number, name in enumerate(touched)}
        value_of: dict[str, Any] = {}

        def place(value: Any) -> str:
            alias = f":v{len(value_of)}"
            value_of[alias] = value
            return alias

        clauses = {
            "SET": [f"{name_of[name]} = {place(value)}" for name, value in self.sets.items()],
            "REMOVE": [name_of[name] for name in sorted(self.removes)],
            "ADD": [f"{name_of[name]} {place(value)}" for name, value in self.adds.items()],
            "DELETE": [f"{name_of[name]} {place(value)}" for name, value in self.deletes.items()],
        }
        names = {alias: name for name, alias in name_of.items()}
        parameters: dict[str, Any] = {
            "UpdateExpression": " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)
        }
        if self.condition:
            parameters["ConditionExpression"] = self.condition
        if self.expected is not None:
            names["#version"] = "version"
            value_of[":expected"] = self.expected
        parameters["ExpressionAttributeNames"] = names
        if value_of:
            parameters["ExpressionAttributeValues"] = to_dynamodb(value_of)
        return parameters


def updates_of(scope: Scope, writes: list[Write]) -> dict[str, Update]:
    """For each trace id or text key that the writes touch, the one update of its item."""
    updates: dict[str, Update] = {}
    for write in writes:
        _take_step(updates.setdefault(write.after.id, Update()), scope, write)
        held_before, held_after = held_text(scope, write.before), held_text(scope, write.after)
        if held_before == held_after:
            continue
        if held_before:
            updates.setdefault(held_before, Update()).deletes["holders"] = {write.after.id}
        if held_after:
            updates.setdefault(held_after, Update()).adds["holders"] = {write.after.id}
    return updates


def _take_step(update: Update, scope: Scope, write: Write) -> None:
    after = _stored(scope, write.after)
    before = _stored(scope, write.before) if write.before else {}
    update.sets = {name: value for name, value in after.items() if name not in COUNTED and before.get(name) != value}
    update.removes = before.keys() - after.keys() - COUNTED
    if write.before is None:
        update.condition = IS_FREE
        update.sets["retrievalCount"] = 0
        return
    update.condition, update.expected = IS_VERSION, write.before.version
    if counted := write.after.retrieval_count - write.before.retrieval_count:
        update.adds["retrievalCount"] = counted


def _stored(scope: Scope, trace: Trace) -> dict[str, Any]:
    return {**attributes(trace), "textKey": key_of(scope, trace.content)}


def alive(now_seconds: int) -> dict[str, Any]:
    """Names and values that IS_ALIVE needs."""
    return {"names": {"#status": "status"}, "values": {":live": "live", ":now": now_seconds}}


def condition_of(scope: Scope, holds: Holds, now_seconds: int) -> dict[str, Any]:
    """A ConditionCheck's expression for ``holds``."""
    needs = alive(now_seconds)
    return {
        "ConditionExpression": f"textKey = :key AND {IS_ALIVE}",
        "ExpressionAttributeNames": needs["names"],
        "ExpressionAttributeValues": to_dynamodb({**needs["values"], ":key": key_of(scope, holds.content)}),
    }


def history_item(scope: Scope, write: Write, purge_at: int) -> Item | None:
    """The replaced version as a history item, unless the new version carries it inside itself."""
    if write.before is None or write.after.before:
        return None
    values: Mapping[str, Any] = {
        **history_key(scope, write.before.id, write.before.version),
        "trace": attributes(write.before),
        "expiresAt": purge_at,
    }
    return to_dynamodb(values)
