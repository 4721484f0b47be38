"""DynamoDB's conditions and updates for traces, all in one place.

An item at ``trace#<key>`` is a trace born with that key, or only the place of a text that other traces hold, or both:
``claimedBy`` names the traces that may say the key's text without having been born with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memtools.adapters.table.layout import COUNTED, Item, attributes, to_dynamodb
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Status, Trace, key_of
from memtools.ports import StillSays, Write

IS_FREE = "attribute_not_exists(id)"
IS_ALONE = "attribute_not_exists(claimedBy)"
IS_HELD = "claimedBy = :claimed"
IS_VERSION = "#version = :expected"
IS_ALIVE = "#status = :live AND (attribute_not_exists(expiresAt) OR expiresAt > :now)"
IS_COUNT = "retrievalCount = :count"
SAYS = "textKey = :text"


def trace_key(scope: Scope, trace_id: str) -> Item:
    """Where a trace stands."""
    return to_dynamodb({"pk": scope.key, "sk": f"trace#{trace_id}"})


def history_prefix(trace_id: str) -> str:
    """What the sort keys of a trace's replaced versions begin with."""
    return f"history#{trace_id}#"


def history_key(scope: Scope, trace_id: str, version: int) -> dict[str, str]:
    """Where a replaced version stands; versions sort as numbers."""
    return {"pk": scope.key, "sk": f"{history_prefix(trace_id)}{version:010d}"}


def held_text(scope: Scope, trace: Trace | None) -> str | None:
    """The key of the text that a trace says without having been born with it.

    One that was merged away keeps its place there, so that it needs no other when the merge is undone.
    """
    if trace is None or trace.status is Status.DELETED:
        return None
    key = key_of(scope, trace.content)
    return None if key == trace.id else key


@dataclass(slots=True)
class Action:
    """All that a transaction asks of one item and does to it: no item may stand twice in a transaction."""

    conditions: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    sets: dict[str, Any] = field(default_factory=dict)
    removes: set[str] = field(default_factory=set)
    adds: dict[str, Any] = field(default_factory=dict)
    deletes: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What DynamoDB calls it."""
        return "Update" if self.sets or self.removes or self.adds or self.deletes else "ConditionCheck"

    def as_parameters(self) -> dict[str, Any]:
        """Expression, condition, names and values; a condition that fails tells what it met."""
        touched = sorted({*self.sets, *self.removes, *self.adds, *self.deletes})
        alias = {name: f"#n{number}" for number, name in enumerate(touched)}
        values = dict(self.values)

        def placed(value: Any) -> str:
            name = f":v{len(values)}"
            values[name] = value
            return name

        clauses = {
            "SET": [f"{alias[name]} = {placed(value)}" for name, value in self.sets.items()],
            "REMOVE": [alias[name] for name in sorted(self.removes)],
            "ADD": [f"{alias[name]} {placed(value)}" for name, value in self.adds.items()],
            "DELETE": [f"{alias[name]} {placed(value)}" for name, value in self.deletes.items()],
        }
        parameters: dict[str, Any] = {}
        if touched:
            parts = [f"{verb} {', '.join(changes)}" for verb, changes in clauses.items() if changes]
            parameters["UpdateExpression"] = " ".join(parts)
        if self.conditions:
            parameters["ConditionExpression"] = " AND ".join(self.conditions)
            parameters["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if names := self.names | {short: name for name, short in alias.items()}:
            parameters["ExpressionAttributeNames"] = names
        if values:
            parameters["ExpressionAttributeValues"] = to_dynamodb(values)
        return parameters

    def require_version(self, version: int) -> None:
        """The trace has to be there, at this version."""
        self.conditions.append(IS_VERSION)
        self.names["#version"] = "version"
        self.values[":expected"] = version

    def require_claimed_by(self, claimed_by: tuple[str, ...]) -> None:
        """Nobody may have come to say this key's text, or gone from it, since these were seen."""
        if claimed_by:
            self.conditions.append(IS_HELD)
            self.values[":claimed"] = set(claimed_by)
        else:
            self.conditions.append(IS_ALONE)

    def require_alive(self, now: datetime) -> None:
        """The trace has to be live and not expired."""
        self.conditions.append(IS_ALIVE)
        self.names["#status"] = "status"
        self.values |= {":live": Status.LIVE.value, ":now": int(now.timestamp())}


def actions_of(
    scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays]
) -> dict[str, Action]:
    """For each trace id or text key that a commit is about, the one action on its item."""
    actions: dict[str, Action] = {}
    for write in writes:
        _take_step(actions.setdefault(write.after.id, Action()), scope, write)
        held_before, held_after = held_text(scope, write.before), held_text(scope, write.after)
        if held_before and held_before != held_after:
            actions.setdefault(held_before, Action()).deletes["claimedBy"] = {write.after.id}
        if held_after and held_before != held_after:
            actions.setdefault(held_after, Action()).adds["claimedBy"] = {write.after.id}
        if write.before is None:
            actions[held_after or write.after.id].require_claimed_by(write.claimed_by)
    for one in conditions:
        action = actions.setdefault(one.id, Action())
        action.require_alive(stamp.now)
        action.conditions.append(SAYS)
        action.values[":text"] = key_of(scope, one.content)
    return actions


def _take_step(action: Action, scope: Scope, write: Write) -> None:
    after = _stored(scope, write.after)
    before = _stored(scope, write.before) if write.before else {}
    action.sets = {name: value for name, value in after.items() if name not in COUNTED and before.get(name) != value}
    action.removes = before.keys() - after.keys() - COUNTED
    if write.before is None:
        action.conditions.append(IS_FREE)
        action.sets["retrievalCount"] = 0
        return
    action.require_version(write.before.version)
    if write.counted:
        action.conditions.append(IS_COUNT)
        action.values[":count"] = write.before.retrieval_count
    if counted := write.after.retrieval_count - write.before.retrieval_count:
        action.adds["retrievalCount"] = counted


def _stored(scope: Scope, trace: Trace) -> dict[str, Any]:
    return {**attributes(trace), "textKey": key_of(scope, trace.content)}


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
