"""Faults, put between botocore and the store: its own retries meet them as they would in the wild."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError
from botocore.httpsession import URLLib3Session

# What is done with one request in the place of sending it: a response, or an exception.
Act = Callable[[AWSPreparedRequest], AWSResponse]


class Killed(BaseException):
    """The process ended here."""


@dataclass(frozen=True)
class Fault:
    """A fault: what happens to a request, and whether to all that follow (botocore's retries) as well."""

    name: str
    act: Act
    always: bool
    operations: frozenset[str] | None = None

    def concerns(self, operation: str) -> bool:
        return self.operations is None or operation in self.operations


_session = URLLib3Session()


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


def _operation(request: AWSPreparedRequest) -> str:
    target = request.headers.get("X-Amz-Target", b"")
    return (target.decode() if isinstance(target, bytes) else str(target)).rpartition(".")[2]


def _error(status: int, dynamodb: str, s3: str, **more: Any) -> Act:
    """An error in the words of the service asked."""

    def act(request: AWSPreparedRequest) -> AWSResponse:
        if _operation(request):
            body = {"__type": f"com.amazonaws.dynamodb.v20120810#{dynamodb}", "message": "secret text of AWS", **more}
            return _answer(request, status, json.dumps(body).encode(), "application/x-amz-json-1.0")
        text = f"<?xml version='1.0'?><Error><Code>{s3}</Code><Message>secret text of AWS</Message></Error>"
        return _answer(request, 503 if s3 == "SlowDown" else status, text.encode(), "application/xml")

    return act


def _json(request: AWSPreparedRequest) -> Any:
    return json.loads(request.body)  # type: ignore[arg-type]


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


def _cancelled(request: AWSPreparedRequest) -> AWSResponse:
    """Cancelled since another transaction is under way."""
    reasons = [
        {"Code": "TransactionConflict", "Message": "secret text of AWS"} for _ in _json(request)["TransactItems"]
    ]
    return _error(400, "TransactionCanceledException", "", CancellationReasons=reasons)(request)


def _overtaken(request: AWSPreparedRequest) -> AWSResponse:
    request.context["tap_rival"]()  # type: ignore[attr-defined]
    return _send(request)


def _unprocessed(request: AWSPreparedRequest) -> AWSResponse:
    body = {"Responses": {}, "UnprocessedKeys": _json(request)["RequestItems"]}
    return _answer(request, 200, json.dumps(body).encode(), "application/x-amz-json-1.0")


def _both(name: str, act: Act, *operations: str) -> list[Fault]:
    """The fault once, which a retry gets over, and for good."""
    concerned = frozenset(operations) or None
    return [Fault(f"{name}, once", act, False, concerned), Fault(f"{name}, always", act, True, concerned)]


FAULTS: list[Fault] = [
    *_both("throttled", _error(400, "ThrottlingException", "SlowDown")),
    *_both("capacity exceeded", _error(400, "ProvisionedThroughputExceededException", "SlowDown")),
    *_both("500", _error(500, "InternalServerError", "InternalError")),
    *_both("connection refused", _refused),
    # For an S3 write, the retry of the first of these two meets the 412 of its own success.
    *_both("connection lost after the effect", _lost_after_effect),
    *_both("409", _error(409, "", "ConditionalRequestConflict"), "PutObject"),
    *_both("412", _error(412, "", "PreconditionFailed"), "PutObject"),
    *_both("cancelled by a conflict", _cancelled, "TransactWriteItems"),
    # Somebody else's same call comes first: a real condition fails, or finds the work done.
    Fault("overtaken by the same call", _overtaken, False, frozenset({"TransactWriteItems", "PutObject"})),
    *_both("transaction in progress", _error(400, "TransactionInProgressException", ""), "TransactWriteItems"),
    *_both("conflict with a transaction", _error(400, "TransactionConflictException", ""), "UpdateItem"),
    *_both("unprocessed keys", _unprocessed, "BatchGetItem"),
    Fault("killed right before", _killed_before, True),
    Fault("killed right after", _killed_after, True),
]


@dataclass
class Tap:
    """Sits on clients: records their calls, and lets a fault happen to one of them."""

    calls: list[str] = field(default_factory=list)
    rival: Callable[[], Any] | None = None
    fault: Fault | None = None
    at: int = -1
    happened: int = 0

    def reset(self, rival: Callable[[], Any]) -> None:
        """Be as new, for another run on the same clients."""
        self.calls, self.rival, self.fault, self.at, self.happened = [], rival, None, -1, 0

    def listen(self, *clients: Any) -> None:
        for client in clients:
            client.meta.events.register("before-call", self._note)
            client.meta.events.register("before-send", self._meet)

    def _note(self, model: Any, params: Any, **_: Any) -> None:
        self.calls.append(model.name)
        params["context"] |= {"tap": len(self.calls) - 1, "tap_rival": self.rival}

    def _meet(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        number = request.context["tap"]  # type: ignore[attr-defined]
        if self.fault is None or number < self.at or (number > self.at and not self.fault.always):
            return None
        if (self.happened and not self.fault.always) or not self.fault.concerns(self.calls[number]):
            return None
        self.happened += 1
        return self.fault.act(request)


@contextmanager
def without_pauses() -> Iterator[None]:
    """Retries at once: the pauses of botocore and of ours are skipped, their number is not."""
    import botocore.endpoint
    import memtools.retry

    class Hasty:
        def __getattr__(self, name: str) -> Any:
            import time

            return (lambda _: None) if name == "sleep" else getattr(time, name)

    before = botocore.endpoint.time, memtools.retry.time  # type: ignore[attr-defined]
    botocore.endpoint.time = memtools.retry.time = Hasty()  # type: ignore[assignment, attr-defined]
    try:
        yield
    finally:
        botocore.endpoint.time, memtools.retry.time = before  # type: ignore[attr-defined]
