"""moto behind DynamoDB's limits: what it would take and DynamoDB would not is refused in DynamoDB's words."""

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moto.dynamodb.models.dynamo_type import LimitedSizeDict

from local import store
from local.store import Wsgi, one_at_a_time
from local.template import Template
from tests.strict.places import Place, expire
from tests.strict.sizes import BATCH_BYTES, ITEM_BYTES, TRANSACTION_BYTES, item_size

_BATCH_WRITES = 25


@dataclass(frozen=True)
class Write:
    """One write of a request; ``puts`` is the item of a put."""

    place: Place
    puts: dict[str, Any] | None


@dataclass(frozen=True)
class Refusal:
    """An error as DynamoDB words it; ``reasons`` are those of a cancelled transaction."""

    message: str
    reasons: tuple[dict[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The body of the response."""
        if not self.reasons:
            return {"__type": "com.amazon.coral.validate#ValidationException", "message": self.message}
        kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
        return {"__type": kind, "Message": self.message, "CancellationReasons": self.reasons}


# How DynamoDB words the limits of a transaction and of a batch in bytes is documented nowhere [M].
PUT_TOO_LARGE = Refusal("Item size has exceeded the maximum allowed size")
UPDATE_TOO_LARGE = Refusal("Item size to update has exceeded the maximum allowed size")
TRANSACTION_TOO_LARGE = Refusal("The aggregate size of the items in the transaction cannot exceed 4 MB")
BATCH_TOO_LARGE = Refusal("The size of the BatchWriteItem call cannot exceed 16 MB")
BATCH_TOO_LONG = Refusal("Too many items requested for the BatchWriteItem call")
TWICE_IN_A_BATCH = Refusal("Provided list of item keys contains duplicates")


def cancelled(too_large: Sequence[bool]) -> Refusal:
    """A transaction with updates that make their items too large."""
    reasons = [
        {"Code": "ValidationError", "Message": UPDATE_TOO_LARGE.message} if one else {"Code": "None"}
        for one in too_large
    ]
    codes = ", ".join(one["Code"] for one in reasons)
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    return Refusal(message, tuple(reasons))


def strict(application: Wsgi, now: Callable[[], datetime]) -> Wsgi:
    """The application, one request at a time, with DynamoDB's limits; items expire by ``now``."""

    def respond(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        operation = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        if not operation:
            return application(environ, start_response)
        expire(now())
        data = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(data)
        writes = list(_writes(operation, json.loads(data)))
        if refusal := _refused_before(operation, writes):
            return _refuse(refusal, start_response)
        before = [write.place.copy() for write in writes]
        started: list[Any] = []
        body = list(application(environ, lambda *given: started.append(given)))
        refusal = _refused_after(operation, writes)
        if refusal or not started[0][0].startswith("2"):
            for write, item in zip(writes, before, strict=True):
                write.place.put_back(item)
        if refusal:
            return _refuse(refusal, start_response)
        start_response(*started[0])
        return body

    return one_at_a_time(respond)


def _writes(operation: str, body: Any) -> Iterator[Write]:
    """The writes of a request, and the checks of a transaction."""
    if operation in ("PutItem", "UpdateItem"):
        yield _write(body["TableName"], body)
    elif operation == "TransactWriteItems":
        for one in body["TransactItems"]:
            (action,) = one.values()
            yield _write(action["TableName"], action)
    elif operation == "BatchWriteItem":
        for table, requests in body["RequestItems"].items():
            for one in requests:
                (request,) = one.values()
                yield _write(table, request)


def _write(table: str, action: Any) -> Write:
    return Write(Place.of(table, action.get("Key") or action["Item"]), action.get("Item"))


def _refused_before(operation: str, writes: Sequence[Write]) -> Refusal | None:
    """What the request alone shows: the number of writes, and the size of what is put."""
    puts = [(write.place, write.puts) for write in writes if write.puts]
    if any(place.size(item) > ITEM_BYTES for place, item in puts):
        return PUT_TOO_LARGE
    if operation != "BatchWriteItem":
        return None
    if len(writes) > _BATCH_WRITES:
        return BATCH_TOO_LONG
    if len({(write.place.table.name, write.place.partition, write.place.row) for write in writes}) < len(writes):
        return TWICE_IN_A_BATCH
    return BATCH_TOO_LARGE if sum(item_size(item) for _, item in puts) > BATCH_BYTES else None


def _refused_after(operation: str, writes: Sequence[Write]) -> Refusal | None:
    """How large an update makes an item is known when it is done."""
    items = [(write.place, write.place.item or {}) for write in writes]
    too_large = [place.size(item) > ITEM_BYTES for place, item in items]
    if operation == "TransactWriteItems":
        if sum(item_size(item) for _, item in items) > TRANSACTION_BYTES:
            return TRANSACTION_TOO_LARGE
        return cancelled(too_large) if any(too_large) else None
    return UPDATE_TOO_LARGE if any(too_large) else None


def _refuse(refusal: Refusal, start_response: Any) -> Iterable[bytes]:
    data = json.dumps(refusal.as_dict()).encode()
    headers = [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(data)))]
    start_response("400 Bad Request", headers)
    return [data]


@contextmanager
def strict_store(template: Template, now: Callable[[], datetime]) -> Iterator[None]:
    """The template's table and bucket on strict moto, for all clients made inside."""
    with store.environment({}), _without_the_limit_of_moto():
        os.environ.pop("AWS_ENDPOINT_URL", None)
        with store.endpoint(lambda application: strict(application, now)):
            store.create(template)
            yield


@contextmanager
def _without_the_limit_of_moto() -> Iterator[None]:
    """An item's limit in moto itself is an estimate, below that of DynamoDB."""
    own = LimitedSizeDict.__setitem__
    LimitedSizeDict.__setitem__ = dict.__setitem__  # type: ignore[method-assign]
    try:
        yield
    finally:
        LimitedSizeDict.__setitem__ = own  # type: ignore[method-assign]
