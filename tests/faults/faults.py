"""The faults: what AWS may answer to a call, in its words, and what may become of a request or of the process."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError
from botocore.httpsession import URLLib3Session

from tests.faults.inject import Act, Fault, Killed
from tests.strict.places import Place

_session = URLLib3Session()

_JSON = "application/x-amz-json-1.0"
_SECRET = "secret text of AWS"
_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
_WRITES = ("TransactWriteItems", "UpdateItem")
_S3_STATUS = {
    "AccessDenied": 403,
    "ConditionalRequestConflict": 409,
    "InternalError": 500,
    "PreconditionFailed": 412,
    "SlowDown": 503,
}


class _Body:
    """A response's body as botocore reads it."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield self._data

    def read(self, *_: Any, **__: Any) -> bytes:
        data, self._data = self._data, b""
        return data


def _answer(request: AWSPreparedRequest, status: int, body: bytes, content_type: str) -> AWSResponse:
    headers = {"content-type": content_type, "content-length": str(len(body))}
    return AWSResponse(request.url, status, headers, _Body(body))  # type: ignore[arg-type]


def _dumped(body: Any) -> bytes:
    return json.dumps(body, default=lambda data: base64.b64encode(data).decode()).encode()


def _json(request: AWSPreparedRequest) -> Any:
    return json.loads(request.body)  # type: ignore[arg-type]


def _error(dynamodb: str, s3: str = "", message: str = _SECRET, **more: Any) -> Act:
    """An error in the words of the service asked."""

    def act(request: AWSPreparedRequest) -> AWSResponse:
        if "X-Amz-Target" in request.headers:
            body = {"__type": f"com.amazonaws.dynamodb.v20120810#{dynamodb}", "message": message, **more}
            status = 500 if dynamodb == "InternalServerError" else 400
            return _answer(request, status, _dumped(body), _JSON)
        text = f"<?xml version='1.0'?><Error><Code>{s3}</Code><Message>{message}</Message></Error>"
        return _answer(request, _S3_STATUS[s3], text.encode(), "application/xml")

    return act


def _cancelled(code: str, message: str = _SECRET) -> Act:
    """A transaction cancelled because of its last action; the others have nothing wrong."""

    def act(request: AWSPreparedRequest) -> AWSResponse:
        others = [{"Code": "None"} for _ in _json(request)["TransactItems"][1:]]
        reasons = [*others, {"Code": code, "Message": message}]
        return _error("TransactionCanceledException", CancellationReasons=reasons)(request)

    return act


def _condition_failed(request: AWSPreparedRequest) -> AWSResponse:
    """Another write made the first condition fail and was undone by the time that anybody looks."""
    actions = [action for one in _json(request)["TransactItems"] for action in one.values()]
    failed = next(action for action in actions if "ConditionExpression" in action)
    item = Place.of(failed["TableName"], failed["Key"]).item
    reason = {"Code": "ConditionalCheckFailed", "Message": _SECRET, **({"Item": item} if item else {})}
    reasons = [reason if action is failed else {"Code": "None"} for action in actions]
    return _error("TransactionCanceledException", CancellationReasons=reasons)(request)


def _refused(request: AWSPreparedRequest) -> AWSResponse:
    raise EndpointConnectionError(endpoint_url=request.url)


def _send(request: AWSPreparedRequest) -> AWSResponse:
    response = _session.send(request)
    _ = response.content
    return response


def _lost_after_effect(request: AWSPreparedRequest) -> AWSResponse:
    _send(request)
    raise ConnectionClosedError(endpoint_url=request.url)


def _killed_before(request: AWSPreparedRequest) -> AWSResponse:
    raise Killed


def _killed_after(request: AWSPreparedRequest) -> AWSResponse:
    _send(request)
    raise Killed


def _overtaken(request: AWSPreparedRequest) -> AWSResponse:
    request.context["tap_rival"]()  # type: ignore[attr-defined]
    return _send(request)


def _unprocessed(request: AWSPreparedRequest) -> AWSResponse:
    body = {"Responses": {}, "UnprocessedKeys": _json(request)["RequestItems"]}
    return _answer(request, 200, _dumped(body), _JSON)


def _partly_unprocessed(request: AWSPreparedRequest) -> AWSResponse:
    """The last key of each table is left for later, with what was found at it."""
    body = json.loads(_send(request).content)
    for table, asked in _json(request)["RequestItems"].items():
        key = asked["Keys"][-1]
        body["UnprocessedKeys"][table] = {**asked, "Keys": [key]}
        body["Responses"][table] = [one for one in body["Responses"][table] if not key.items() <= one.items()]
    return _answer(request, 200, _dumped(body), _JSON)


def _both(name: str, act: Act, *operations: str) -> list[Fault]:
    """The fault once, which a retry gets over, and for good."""
    concerned = frozenset(operations) or None
    return [Fault(f"{name}, once", act, False, concerned), Fault(f"{name}, always", act, True, concerned)]


def _final(name: str, told: str, act: Act, *operations: str) -> Fault:
    """A fault that stays however often the call is sent."""
    return Fault(name, act, True, frozenset(operations) or None, frozenset(told.split(" or ")))


FAULTS: list[Fault] = [
    *_both("throttled", _error("ThrottlingException", "SlowDown")),
    *_both("capacity exceeded", _error("ProvisionedThroughputExceededException", "SlowDown")),
    *_both("500", _error("InternalServerError", "InternalError")),
    *_both("connection refused", _refused),
    # For an S3 write, the retry of the first of these two meets the 412 of its own success.
    *_both("connection lost after the effect", _lost_after_effect),
    *_both("409", _error("", "ConditionalRequestConflict"), "PutObject"),
    *_both("412", _error("", "PreconditionFailed"), "PutObject"),
    # Somebody else's same call comes first: a real condition fails, or finds the work done.
    Fault("overtaken by the same call", _overtaken, False, frozenset({"TransactWriteItems", "PutObject"})),
    Fault("cancelled by a condition, once", _condition_failed, False, frozenset({"TransactWriteItems"})),
    *_both("cancelled by a conflict", _cancelled("TransactionConflict"), "TransactWriteItems"),
    *_both("cancelled by throttling", _cancelled("ThrottlingError"), "TransactWriteItems"),
    *_both("cancelled for capacity", _cancelled("ProvisionedThroughputExceeded"), "TransactWriteItems"),
    *_both("transaction in progress", _error("TransactionInProgressException"), "TransactWriteItems"),
    *_both("conflict with a transaction", _error("TransactionConflictException"), "UpdateItem"),
    *_both("unprocessed keys", _unprocessed, "BatchGetItem"),
    Fault("one key unprocessed, once", _partly_unprocessed, False, frozenset({"BatchGetItem"})),
    # What stays: an item past 400 KB, alone or with its copy in the index, or a scope past 10 GB, or no permission.
    _final("access denied", "fault", _error("AccessDeniedException", "AccessDenied")),
    _final(
        "cancelled as invalid", "too_large or fault", _cancelled("ValidationError", _TOO_LARGE), "TransactWriteItems"
    ),
    _final("cancelled at 10 GB", "too_large", _cancelled("ItemCollectionSizeLimitExceeded"), "TransactWriteItems"),
    _final("invalid", "too_large or fault", _error("ValidationException", "", _TOO_LARGE), *_WRITES),
    _final("at 10 GB", "too_large", _error("ItemCollectionSizeLimitExceededException"), "UpdateItem"),
    Fault("killed right before", _killed_before, True),
    Fault("killed right after", _killed_after, True),
]
