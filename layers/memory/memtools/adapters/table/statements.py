"""The statements that write traces: birth, revival, change and claim, each with the race that it decides.

A trace's item is at the key of the text that it was created with. ``claimedBy`` on an item names the traces that have
this text now but were created with another one. So an add finds both at one key.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memtools.adapters.aws import Item, to_dynamodb
from memtools.adapters.values import attributes, history_sort_key, moment_text
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Status, Trace, key_of
from memtools.domain.versions import as_past
from memtools.ports import StillSays, Write

# Written by retrievals. Changes only add to them, and never set them.
_COUNTED = frozenset({"retrievalCount", "lastRetrievedAt"})
_IS_ALIVE = "#status = :live AND (attribute_not_exists(expiresAt) OR expiresAt > :now)"


@dataclass(slots=True)
class Statement:
    """The conditions on one item in a transaction, and its update. ``#name`` in a condition stands for ``name``."""

    sets: dict[str, Any] = field(default_factory=dict)
    removes: set[str] = field(default_factory=set)
    adds: dict[str, Any] = field(default_factory=dict)
    deletes: dict[str, Any] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)

    def __or__(self, other: "Statement") -> "Statement":
        """Both in one, because a transaction can have only one statement for an item."""
        return Statement(
            self.sets | other.sets,
            self.removes | other.removes,
            self.adds | other.adds,
            self.deletes | other.deletes,
            self.conditions + other.conditions,
            self.values | other.values,
        )

    @property
    def kind(self) -> str:
        """The name of this action in a DynamoDB transaction."""
        return "Update" if self.sets or self.removes or self.adds or self.deletes else "ConditionCheck"

    def as_parameters(self) -> dict[str, Any]:
        """Expression, condition, names and values for DynamoDB; a condition that fails returns the item."""
        clauses = {
            "SET": [f"#{name} = :{name}" for name in self.sets],
            "REMOVE": [f"#{name}" for name in sorted(self.removes)],
            "ADD": [f"#{name} :{name}" for name in self.adds],
            "DELETE": [f"#{name} :{name}" for name in self.deletes],
        }
        update = " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)
        condition = " AND ".join(self.conditions)
        values = self.values | {f":{name}": value for name, value in (self.sets | self.adds | self.deletes).items()}
        parameters = {
            "UpdateExpression": update,
            "ConditionExpression": condition,
            "ReturnValuesOnConditionCheckFailure": condition and "ALL_OLD",
            "ExpressionAttributeNames": {f"#{name}": name for name in re.findall(r"#(\w+)", f"{update} {condition}")},
            "ExpressionAttributeValues": to_dynamodb(values),
        }
        return {name: value for name, value in parameters.items() if value}


def birth(scope: Scope, trace: Trace, retention: timedelta) -> Statement:
    """A new trace at a key without one.

    A: add "likes tea"                      B: add "likes tea"
    birth: no trace at the key ✓
                                            birth: no trace at the key ✗
                                            B finds A's trace and answers `duplicates`
    """
    return Statement(
        sets={**stored_attributes(scope, trace, retention), "retrievalCount": 0},
        conditions=("attribute_not_exists(id)",),
    )


def unclaimed_but_by(claimed_by: Sequence[str]) -> Statement:
    """At the key of a new trace's text: only traces that are known not to say it any more claim it.

    A: add "likes tea"                      B: update X to "likes tea"
                                            change of X, claim at the key ✓
    birth: nobody claims the key ✗
    A finds X and answers `duplicates`
    """
    if not claimed_by:
        return Statement(conditions=("attribute_not_exists(claimedBy)",))
    return Statement(conditions=("claimedBy = :known",), values={":known": set(claimed_by)})


def revival(scope: Scope, tombstone: Trace, trace: Trace, retention: timedelta) -> Statement:
    """A dead trace becomes live because its fact was added again.

    A: add "likes tea" (deleted, version 2) B: the same
    revival: version is 2 ✓, now 3
                                            revival: version is 2 ✗
                                            B finds a live trace and answers `duplicates`
    """
    return change(scope, tombstone, trace, retention)


def change(scope: Scope, before: Trace, after: Trace, retention: timedelta) -> Statement:
    """The next version of a trace. Retrievals are added, never set, so that searches and changes do not conflict.

    A: update X (version 4)                 B: delete X (version 4)          C: search
                                            change: version is 4 ✓, now 5
                                                                             count: ADD retrievalCount 1 ✓
    change: version is 4 ✗
    A reads X again and finds that it was deleted
    """
    old, new = (stored_attributes(scope, version, retention) for version in (before, after))
    counted = after.retrieval_count - before.retrieval_count
    return Statement(
        sets={name: value for name, value in new.items() if name not in _COUNTED and old.get(name) != value},
        removes=old.keys() - new.keys() - _COUNTED,
        adds={"retrievalCount": counted} if counted else {},
        conditions=("#version = :seenVersion",),
        values={":seenVersion": before.version},
    )


def retrieved_no_more_than(trace: Trace) -> Statement:
    """No search has counted the trace since it was read. A merge adds up counts and chooses the survivor by them."""
    return Statement(conditions=("retrievalCount = :seenCount",), values={":seenCount": trace.retrieval_count})


def claim(trace_id: str) -> Statement:
    """At the key of the text that a trace says from now on but was not created with.

    A: update X to "likes tea"              B: add "likes tea"
    change of X, claim at the key ✓
                                            birth: nobody claims the key ✗
                                            B checks that X is alive and says so, and answers `duplicates`
    """
    return Statement(adds={"claimedBy": {trace_id}})


def end_of_claim(trace_id: str) -> Statement:
    """At the key of a text that the trace no longer says."""
    return Statement(deletes={"claimedBy": {trace_id}})


def still_says(scope: Scope, condition: StillSays, now: datetime) -> Statement:
    """The trace is alive and says the text: a claim is checked, never trusted."""
    return Statement(
        conditions=(_IS_ALIVE, "textKey = :text"),
        values={":live": Status.LIVE.value, ":now": int(now.timestamp()), ":text": key_of(scope, condition.content)},
    )


def retrieval(version: int, now: datetime) -> Statement:
    """Count one retrieval of a trace that is alive at the expected version."""
    return Statement(
        sets={"lastRetrievedAt": moment_text(now)},
        adds={"retrievalCount": 1},
        conditions=("#version = :seenVersion", _IS_ALIVE),
        values={":seenVersion": version, ":live": Status.LIVE.value, ":now": int(now.timestamp())},
    )


def late(version: int, now: datetime) -> Statement:
    """The time of a change that came later than its stamp says, if the trace has not changed since."""
    return Statement(
        sets={"changedAt": moment_text(now)}, conditions=("#version = :seenVersion",), values={":seenVersion": version}
    )


def untouched() -> Statement:
    """A key without a trace, claims or a replaced version, so that an import overwrites nothing."""
    return Statement(conditions=tuple(f"attribute_not_exists({name})" for name in ("id", "claimedBy", "#trace")))


def claimed_text(scope: Scope, trace: Trace | None) -> str | None:
    """The key of the trace's text, if it was created with another text.

    A trace that was merged away keeps its claim, so that it needs no new one when the merge is undone.
    """
    if trace is None or trace.status is Status.DELETED:
        return None
    key = key_of(scope, trace.content)
    return None if key == trace.id else key


def unpurged(statement: Statement, *, claimed: bool) -> Statement:
    """The statement, for an item that DynamoDB must not remove while it has claims.

    A: delete X, purge its item in a month  B: update Y to the text that X was created with
    change of X: nobody claims its key ✓
                                            claim at X's key ✓, removes X's time of purge
    B's claim stands however long X is dead. If B comes first, A's change fails, and runs again without a purge.
    """
    if "claimedBy" in statement.adds or (claimed and "purgeAt" in statement.sets):
        statement.sets.pop("purgeAt", None)
        statement.removes.add("purgeAt")
        known = ("attribute_exists(claimedBy)",) if claimed else ()
    else:
        known = ("attribute_not_exists(claimedBy)",) if "purgeAt" in statement.sets else ()
    return statement | Statement(conditions=known)


def statements_of(
    scope: Scope,
    stamp: Stamp,
    writes: Sequence[Write],
    conditions: Sequence[StillSays],
    *,
    retention: timedelta,
    claimed: Collection[str] = (),
) -> dict[str, Statement]:
    """The statement for each item of a commit, by the trace's id or the text's key.

    ``claimed`` are the ids of traces whose items have claims, as far as known.
    """
    statements: dict[str, Statement] = {}
    for write in writes:
        for key, statement in _statements(scope, write, retention):
            statements[key] = statements.get(key, Statement()) | statement
    claimed = {*claimed, *(write.after.id for write in writes if write.before is None and write.claimed_by)}
    statements = {key: unpurged(one, claimed=key in claimed) for key, one in statements.items()}
    for one in conditions:
        statements[one.id] = statements.get(one.id, Statement()) | still_says(scope, one, stamp.now)
    return statements


def _statements(scope: Scope, write: Write, retention: timedelta) -> Iterator[tuple[str, Statement]]:
    before, after = write.before, write.after
    old, new = claimed_text(scope, before), claimed_text(scope, after)
    if before is None:
        yield after.id, birth(scope, after, retention)
        yield new or after.id, unclaimed_but_by(write.claimed_by)
    elif after.live and not before.live:
        yield after.id, revival(scope, before, after, retention)
    else:
        yield after.id, change(scope, before, after, retention)
    if before and write.counted:
        yield after.id, retrieved_no_more_than(before)
    if old and old != new:
        yield old, end_of_claim(after.id)
    if new and old != new:
        yield new, claim(after.id)


def stored_attributes(scope: Scope, trace: Trace, retention: timedelta) -> dict[str, Any]:
    """The trace's attributes, with the key of its text, against which claims are checked, and when to purge it.

    A trace that expired is purged later, so that a fact that is added again continues its versions and its history.
    """
    values = {**_attributes(trace, retention), "textKey": key_of(scope, trace.content)}
    if trace.expires_at:
        values["purgeAt"] = int((trace.expires_at + (retention if trace.live else timedelta())).timestamp())
    return values


def history_item(scope: Scope, version: Trace, replaced_at: datetime, retention: timedelta) -> Item:
    """A replaced version with an item of its own."""
    values: Mapping[str, Any] = {
        "pk": scope.key,
        "sk": history_sort_key(version.id, version.version),
        "trace": _attributes(as_past(version), retention),
        "purgeAt": int((replaced_at + retention).timestamp()),
    }
    return to_dynamodb(values)


def _attributes(trace: Trace, retention: timedelta) -> dict[str, Any]:
    """The trace's attributes; each version in its inline history has the time until which it may be read."""
    values = attributes(trace)
    replaced_at = [version.changed_at for version in (*trace.inline_history[1:], trace)]
    for version, end in zip(values.get("inlineHistory", ()), replaced_at, strict=False):
        version["purgeAt"] = int((end + retention).timestamp())
    return values
