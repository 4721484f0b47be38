"""Traces in one DynamoDB table: a partition for each scope, and a local index in the order of change."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from memtools.adapters.aws import READ_FAILED, WRITE_FAILED, Client, code_of, in_parallel, translated_errors
from memtools.adapters.table.layout import (
    from_dynamodb,
    history_prefix,
    moment_text,
    to_dynamodb,
    trace_key,
    trace_of,
)
from memtools.adapters.table.statements import history_item, retrieval, statements_of
from memtools.current_call import Metric, increment
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.errors import TooLarge, Unavailable
from memtools.ports import ConditionFailed, KeyState, StillSays, Write
from memtools.retry import attempts

_GET_LIMIT = 100
_TRANSACTION_LIMIT = 100
_CONDITION_FAILED = "ConditionalCheckFailed"


class DynamoTraces:
    """The TraceStore on DynamoDB. Replaced versions are purged ``retention`` after their replacement."""

    def __init__(self, client: Client, table: str, index: str, retention: timedelta) -> None:
        self._client = client
        self._table = table
        self._index = index
        self._retention = retention

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
        items, ids = self._transaction(scope, stamp, writes, conditions)
        if len(items) > _TRANSACTION_LIMIT:
            raise TooLarge(
                f"This call needs {len(items)} changes, but one call can make at most {_TRANSACTION_LIMIT}. Nothing"
                " was written. Send it in two halves.",
                size=len(items),
                limit=_TRANSACTION_LIMIT,
            )
        with translated_errors(WRITE_FAILED):
            for _ in attempts():
                reasons = self._transact(items)
                if not reasons:
                    return
                found = {
                    name: _key_state(reason.get("Item"))
                    for name, reason in zip(ids, reasons, strict=True)
                    if reason.get("Code") == _CONDITION_FAILED
                }
                if found:
                    raise ConditionFailed(found)
        raise Unavailable(f"The memory store is busy. {WRITE_FAILED}")

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
        self, scope: Scope, stamp: Stamp, writes: Sequence[Write], conditions: Sequence[StillSays]
    ) -> tuple[list[Any], list[str]]:
        """The transaction's items in DynamoDB's form, and the id or key of each."""
        items: list[Any] = []
        ids: list[str] = []
        for name, statement in statements_of(scope, stamp, writes, conditions).items():
            place = {"TableName": self._table, "Key": trace_key(scope, name)}
            items.append({statement.kind: {**place, **statement.as_parameters()}})
            ids.append(name)
        purge_at = int((stamp.now + self._retention).timestamp())
        for write in writes:
            if item := history_item(scope, write, purge_at):
                items.append({"Put": {"TableName": self._table, "Item": item}})
                ids.append(write.after.id)
        return items, ids

    def changes(self, scope: Scope, since: datetime | None) -> Iterator[Trace]:
        values = {":pk": scope.key, ":since": moment_text(since) if since else "0"}
        return map(trace_of, self._query("pk = :pk AND changedAt >= :since", values, IndexName=self._index))

    def history(self, scope: Scope, trace_id: str, now: datetime) -> Iterator[Trace]:
        values = {":pk": scope.key, ":prefix": history_prefix(trace_id)}
        items = self._query("pk = :pk AND begins_with(sk, :prefix)", values, ScanIndexForward=False)
        return (trace_of(item["trace"]) for item in items if item["expiresAt"] > now.timestamp())

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
        """Count a retrieval of each id that is alive at the expected version, and read it in the same call.

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
            current = self.get(scope, uncounted)
            found |= {one.id: one for one in current.values() if one.alive(now) and one.version == expected[one.id]}
        return found

    def _count(self, scope: Scope, name: str, version: int, now: datetime) -> Trace | None:
        """Count one retrieval; the trace afterwards, or None if it is not alive at this version."""
        statement = retrieval(version, now)
        place = {"TableName": self._table, "Key": trace_key(scope, name)}
        for _ in attempts():
            try:
                answer = self._client.update_item(**place, **statement.as_parameters(), ReturnValues="ALL_NEW")
            except ClientError as error:
                if code_of(error) == "ConditionalCheckFailedException":
                    return None
                if code_of(error) != "TransactionConflictException":
                    raise
            else:
                return trace_of(from_dynamodb(answer["Attributes"]))
        raise Unavailable(f"The memory store is busy. {READ_FAILED}")


def _key_state(item: Any) -> KeyState:
    values = from_dynamodb(item) if item else {}
    return KeyState(trace_of(values) if "id" in values else None, tuple(sorted(values.get("claimedBy", ()))))
