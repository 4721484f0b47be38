"""Traces in one DynamoDB table: a partition for each scope, and a local index in the order of change."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice, pairwise
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from memtools.adapters.aws import (
    PASSING,
    Client,
    Item,
    code_of,
    from_dynamodb,
    in_parallel,
    to_dynamodb,
    translated_errors,
    translation,
)
from memtools.adapters.table.sizes import require_storable
from memtools.adapters.table.statements import history_item, late, retrieval, statements_of, stored_attributes
from memtools.adapters.translation import READ_FAILED, WRITE_FAILED, Cause
from memtools.adapters.values import attributes, history_prefix, moment_text, trace_of, trace_sort_key
from memtools.current_call import Metric, increment
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.domain.versions import within_retention
from memtools.errors import TooLarge, Unavailable
from memtools.ports import ConditionFailed, KeyState, StillSays, Write
from memtools.retry import attempts

# The key of no item, at which anybody may look. A scope's key has a slash or more.
_CLOCK = "clock"
_GET_LIMIT = 100
_TRANSACTION_LIMIT = 100
_CONDITION_FAILED = "ConditionalCheckFailed"
# An action that did not cancel its transaction, or that may pass in the next one. All others never pass.
_CAN_CHANGE = {"None", _CONDITION_FAILED, *PASSING}
# A search answers without a count, rather than late.
_COUNT_ATTEMPTS = 5
# A search reads again what changed in the three minutes before the last one (freshness/indexes.py).
_LATE = timedelta(minutes=1)


class DynamoTraces:
    """The TraceStore on DynamoDB. Replaced versions are purged ``retention`` after their replacement.

    ``now`` is the time from which writes take their stamps.
    """

    def __init__(
        self, client: Client, table: str, index: str, retention: timedelta, now: Callable[[], datetime]
    ) -> None:
        self._client = client
        self._table = table
        self._index = index
        self._retention = retention
        self._now = now

    def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Trace]:
        found: dict[str, Trace] = {}
        distinct = list(dict.fromkeys(ids))
        for start in range(0, len(distinct), _GET_LIMIT):
            for item in self._get_all([trace_key(scope, one) for one in distinct[start : start + _GET_LIMIT]]):
                if trace := _key_state(item).trace:
                    found[trace.id] = trace
        return found

    def _get_all(self, keys: list[Any]) -> list[Any]:
        """All items with these keys. Keys that DynamoDB did not process are requested again."""
        items: list[Any] = []
        with translated_errors(READ_FAILED):
            for _ in attempts():
                request = {self._table: {"Keys": keys, "ConsistentRead": True}}
                answer = self._client.batch_get_item(RequestItems=request)
                items += answer["Responses"].get(self._table, [])
                keys = answer.get("UnprocessedKeys", {}).get(self._table, {}).get("Keys", [])
                if not keys:
                    return items
        raise Unavailable(f"The memory store is busy. {READ_FAILED}")

    def commit(self, scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays] = ()) -> None:
        """One transaction; see the port.

        A fact takes two of the hundred actions of a transaction if the trace at its own key says something else. A call
        that needs more than a hundred is TooLarge.

        A transaction that is cancelled because of a concurrent one runs again.
        """
        cutoff = stamp.now - self._retention
        writes = [replace(write, after=within_retention(write.after, cutoff)) for write in writes]
        claimed: set[str] = set()
        with translated_errors(WRITE_FAILED):
            for _ in attempts():
                items, ids = self._transaction(scope, stamp, writes, conditions, claimed)
                reasons = self._transact(items)
                if not reasons:
                    self._make_visible(scope, stamp, writes)
                    return
                found = {
                    name: _key_state(reason.get("Item"))
                    for name, reason in zip(ids, reasons, strict=True)
                    if reason.get("Code") == _CONDITION_FAILED
                }
                for reason in reasons:
                    if reason.get("Code") not in _CAN_CHANGE:
                        code = str(reason.get("Code"))
                        raise translation(code, str(reason.get("Message", "")), WRITE_FAILED) from Cause(code)
                learned = _claimed(writes, found) - claimed
                claimed |= learned
                if found and not learned:
                    raise ConditionFailed(found)
        raise Unavailable(f"The memory store is busy. {WRITE_FAILED}")

    def _make_visible(self, scope: Scope, stamp: Stamp, writes: Sequence[Write]) -> None:
        """Give traces that were written long after their stamp the time at which they were.

        That happens if this process was stopped in between. Searches have read past such a stamp already.
        """
        now = self._now()
        if now - stamp.now < _LATE:
            return
        for write in writes:
            statement = late(write.after.version, now)
            place = {"TableName": self._table, "Key": trace_key(scope, write.after.id)}
            # What was written stays written, whether or not this works. If the version is another one by now, somebody
            # changed it since, at their time.
            with suppress(ClientError, BotoCoreError):
                self._client.update_item(**place, **statement.as_parameters())

    def _transact(self, items: list[Any]) -> list[Any]:
        """Run the transaction. If it was cancelled: the reasons, one for each item; else nothing."""
        try:
            self._client.transact_write_items(TransactItems=items)
        except ClientError as error:
            if code_of(error) != "TransactionCanceledException":
                raise
            reasons: list[Any] = error.response["CancellationReasons"]
            return reasons
        return []

    def _transaction(
        self,
        scope: Scope,
        stamp: Stamp,
        writes: Sequence[Write],
        conditions: Sequence[StillSays],
        claimed: Collection[str],
    ) -> tuple[list[Any], list[str]]:
        """The transaction's items in DynamoDB's form, and the id or key of each. Raises TooLarge."""
        replaced = [write.before for write in writes if write.before and not write.after.inline_history]
        history = [(version, stamp.now) for version in replaced]
        if any(len(write.after.inline_history) > 1 for write in writes):
            statements = statements_of(scope, stamp, writes, conditions, retention=self._retention)
            writes, moved = _shortened(writes, _TRANSACTION_LIMIT - len(statements) - len(history))
            history += moved
        require_storable(
            [stored_attributes(scope, write.after, self._retention) for write in writes],
            [attributes(version) for version, _ in history],
        )
        statements = statements_of(scope, stamp, writes, conditions, retention=self._retention, claimed=claimed)
        items: list[Any] = []
        for name, statement in statements.items():
            place = {"TableName": self._table, "Key": trace_key(scope, name)}
            items.append({statement.kind: {**place, **statement.as_parameters()}})
        for version, replaced_at in history:
            item = history_item(scope, version, replaced_at, self._retention)
            items.append({"Put": {"TableName": self._table, "Item": item}})
        if len(items) > _TRANSACTION_LIMIT:
            raise TooLarge(
                f"This call needs {len(items)} changes, but one call can make at most {_TRANSACTION_LIMIT}. Nothing"
                " was written. Send it in two halves.",
                size=len(items),
                limit=_TRANSACTION_LIMIT,
            )
        return items, [*statements, *(version.id for version, _ in history)]

    def changes(self, scope: Scope, since: datetime | None) -> Iterator[Trace]:
        values = {":pk": scope.key, ":since": moment_text(since) if since else "0"}
        return map(trace_of, self._query("pk = :pk AND changedAt >= :since", values, IndexName=self._index))

    def history(self, scope: Scope, trace_id: str, now: datetime) -> Iterator[Trace]:
        values = {":pk": scope.key, ":prefix": history_prefix(trace_id)}
        items = self._query("pk = :pk AND begins_with(sk, :prefix)", values, ScanIndexForward=False)
        return (trace_of(item["trace"]) for item in items if item["purgeAt"] > now.timestamp())

    def _query(self, condition: str, values: Mapping[str, Any], **parameters: Any) -> Iterator[dict[str, Any]]:
        """Yield the items of a consistent query, page by page."""
        start: dict[str, Any] = {}
        while True:
            with translated_errors(READ_FAILED):
                answer = self._client.query(
                    TableName=self._table,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues=to_dynamodb(values),
                    ConsistentRead=True,
                    **parameters,
                    **start,
                )
            yield from map(from_dynamodb, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def retrieve(self, scope: Scope, expected: Mapping[str, int], now: datetime) -> dict[str, Trace]:
        """See the port. Counts and reads a trace in the same call.

        What cannot be counted is read all the same: a count is worth less than an answer.
        """
        uncounted: list[str] = []

        def count(name: str) -> Trace | None:
            try:
                return self._count(scope, name, expected[name], now)
            except (ClientError, BotoCoreError, Unavailable):
                uncounted.append(name)
                return None

        with translated_errors(READ_FAILED):
            found = {trace.id: trace for trace in in_parallel(count, expected) if trace}
        if uncounted:
            increment(Metric.RETRIEVAL_UNCOUNTED)
            found |= self.get(scope, uncounted)
        return found

    def _count(self, scope: Scope, name: str, version: int, now: datetime) -> Trace | None:
        """Count one retrieval, if the trace is alive at this version; the trace as it is now, if there is one."""
        statement = retrieval(version, now)
        place = {"TableName": self._table, "Key": trace_key(scope, name)}
        for _ in islice(attempts(), _COUNT_ATTEMPTS):
            try:
                answer = self._client.update_item(**place, **statement.as_parameters(), ReturnValues="ALL_NEW")
            except ClientError as error:
                if code_of(error) == "ConditionalCheckFailedException":
                    return _key_state(error.response.get("Item")).trace
                if code_of(error) != "TransactionConflictException":
                    raise
            else:
                return trace_of(from_dynamodb(answer["Attributes"]))
        raise Unavailable(f"The memory store is busy. {READ_FAILED}")


def _claimed(writes: Sequence[Write], found: Mapping[str, KeyState]) -> set[str]:
    """The traces whose items were found with claims, and otherwise as expected."""
    before = {write.before.id: write.before.version for write in writes if write.before}
    return {
        name
        for name, state in found.items()
        if state.claimed_by and state.trace and state.trace.version == before.get(name)
    }


def _shortened(writes: Sequence[Write], room: int) -> tuple[list[Write], list[tuple[Trace, datetime]]]:
    """The writes with shorter inline histories, the longest ones first, and the versions that get their own items.

    ``room`` is the number of items that fit. Each version comes with the time at which it was replaced. The last
    version stays inline, so that an unmerge finds it.
    """
    after = {write.after.id: write.after for write in writes}
    moved: list[tuple[Trace, datetime]] = []
    for trace in sorted(after.values(), key=lambda one: len(one.inline_history), reverse=True):
        count = min(len(trace.inline_history) - 1, room - len(moved))
        if count > 0:
            versions = trace.inline_history
            moved += [(version, later.changed_at) for version, later in islice(pairwise(versions), count)]
            after[trace.id] = replace(trace, inline_history=versions[count:])
    return [replace(write, after=after[write.after.id]) for write in writes], moved


def _key_state(item: Any) -> KeyState:
    values = from_dynamodb(item) if item else {}
    return KeyState(trace_of(values) if "id" in values else None, tuple(sorted(values.get("claimedBy", ()))))


def ask_the_time(client: Client, table: str) -> None:
    """Make a small call, for the date of its answer. The key is nobody's."""
    with translated_errors(READ_FAILED):
        client.batch_get_item(RequestItems={table: {"Keys": [to_dynamodb({"pk": _CLOCK, "sk": _CLOCK})]}})


def trace_key(scope: Scope, trace_id: str) -> Item:
    """The key of the item that has a trace and the claims to its text."""
    return to_dynamodb({"pk": scope.key, "sk": trace_sort_key(trace_id)})
