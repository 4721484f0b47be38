"""What AWS adapters share: client settings, the stores' time, parallel calls, errors, and DynamoDB's typed values."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, TypeVar

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ChecksumError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
)

from memtools.adapters.translation import READ_FAILED, Cause
from memtools.current_call import out_of_time
from memtools.errors import Fault, TooLarge, ToolError, Unavailable

Item = dict[str, Any]  # an item of DynamoDB, with typed values

T = TypeVar("T")
R = TypeVar("R")

_CONNECTIONS = 32
_ABSENT_CODES = frozenset({"NoSuchKey", "NoSuchVersion", "404", "NotFound"})
# Another version exists; two writes came at the same time; the object to replace is gone.
_LOST_CODES = frozenset({"PreconditionFailed", "412", "ConditionalRequestConflict", "409", *_ABSENT_CODES})
# The codes after which the same call may pass; 5xx stands for all answers with such a status, and for none at all.
PASSING = frozenset(
    {
        "5xx",
        "LimitExceededException",
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestExpired",
        "RequestLimitExceeded",
        "RequestTimeTooSkewed",
        "RequestTimeout",
        "RequestTimeoutException",
        "SlowDown",
        "Throttling",
        "ThrottlingError",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionConflict",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
_serialize = TypeSerializer().serialize
_deserialize = TypeDeserializer().deserialize
# An answer did not arrive, or not whole.
_NO_ANSWER = (ConnectionError, HTTPClientError, IncompleteReadError, ChecksumError, FlexibleChecksumError)
Client = Any  # boto3 makes its clients at run time, without types; the contract suites call them for real

# At worst a call takes three attempts of four seconds and three seconds of pauses: 15 seconds. current_call.py relies
# on that.
CONFIG = Config(
    connect_timeout=1,
    read_timeout=3,
    max_pool_connections=_CONNECTIONS,
    retries={"mode": "standard", "total_max_attempts": 3},
)

# At lower levels boto3 logs bodies, and urllib3 logs paths, which name users. The root logger's level does not matter.
for _name, _level in (
    ("boto3", logging.WARNING),
    ("botocore", logging.WARNING),
    ("s3transfer", logging.WARNING),
    ("urllib3", logging.ERROR),
):
    logging.getLogger(_name).setLevel(_level)

_pool = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="aws")


def in_parallel(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """``map`` with concurrent calls, which take the time of one. The running call's deadline applies to each."""
    calls = [(copy_context(), item) for item in items]
    return _pool.map(lambda call: call[0].run(function, call[1]), calls)


def code_of(error: ClientError) -> str:
    """The error's code in AWS's response."""
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated_errors(consequence: str) -> Iterator[None]:
    """Translate AWS errors, without their text. ``consequence`` says what the caller can do if the same call may pass.

    Raises Unavailable at once if there is no time left for another call.
    """
    if out_of_time():
        raise Unavailable(f"The memory store is slow. {consequence}")
    try:
        yield
    except ClientError as error:
        details = error.response.get("Error", {})
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        code = "5xx" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else code_of(error)
        raise translation(code, details.get("Message", ""), consequence) from Cause(code_of(error))
    except BotoCoreError as error:
        passes = isinstance(error, _NO_ANSWER)
        name = type(error).__name__
        raise translation("5xx" if passes else name, "", consequence) from Cause(name)


def translation(code: str, message: str, consequence: str) -> ToolError:
    """The error for AWS's ``code``: Unavailable only if the same call may pass later. ``message`` is not repeated."""
    if code in PASSING:
        return Unavailable(f"The memory store did not answer. {consequence}")
    if code.startswith("ItemCollectionSizeLimitExceeded"):
        return TooLarge(
            "This memory is full. Nothing was written, and sending the call again will not help. Continue without it,"
            " and tell the user that its operator has to make room."
        )
    if code.startswith("Validation") and "size" in message.lower() and "exceed" in message.lower():
        return TooLarge(
            "A memory would become larger than the store allows. Nothing was written. Shorten its text or its tags, or"
            " merge fewer memories."
        )
    return Fault(
        "The memory store refused the call, and will refuse it again. Nothing was written. Continue without the memory,"
        " and tell the user that its operator has to check the log."
    )


def get_object(client: Client, **place: str) -> Any:
    """S3's object at ``place``; ``None`` if it does not exist."""
    try:
        return client.get_object(**place)
    except ClientError as error:
        if code_of(error) in _ABSENT_CODES:
            return None
        raise


def put_object(client: Client, replaces: str | None, **parameters: Any) -> Any:
    """Replace the object with the tag ``replaces`` (``None``: there is none). ``None`` if another one is there."""
    condition = {"IfMatch": replaces} if replaces else {"IfNoneMatch": "*"}
    try:
        return client.put_object(**parameters, **condition)
    except ClientError as error:
        if code_of(error) in _LOST_CODES:
            return None
        raise


# ---------------------------------------------------------------- time

# A date lacks the fraction of its second, and an answer takes a while to arrive. So an older date may have been more
# exact, unless it differs by more than this many seconds: then this machine slept, or a clock was set.
_INEXACT = 2.0


def _uptime() -> float:
    """Seconds of a clock that nobody sets, and that goes on while the machine sleeps, if it has one."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class StoreClock:
    """The store's time, so that no clock of ours decides what a search sees. Thread-safe.

    AWS dates each answer, to the second. Between two answers a clock of this machine counts on, of which only the rate
    matters, not what it shows.

    Its time is never later than the store's, and usually less than a second earlier. After a pause of the whole
    process it may be as much earlier as the pause took, until the next answer arrives.
    """

    def __init__(self, ask: Callable[[], object]) -> None:
        """``ask`` makes any call to a store. It is called if the time is needed before any answer."""
        self._ask = ask
        self._ahead: float | None = None  # the store's time minus the uptime
        self._lock = threading.Lock()

    def listen(self, *clients: Client) -> None:
        """Learn from each answer to these clients."""
        for client in clients:
            client.meta.events.register("after-call", self._learn)

    def now(self) -> datetime:
        """The store's time. If it never answered before, asks it: raises what ``ask`` raises, or Unavailable."""
        if self._ahead is None:
            self._ask()
        if self._ahead is None:  # AWS dates each answer
            raise Unavailable(f"The memory store did not say what time it is. {READ_FAILED}")
        return datetime.fromtimestamp(_uptime() + self._ahead, UTC)

    def _learn(self, http_response: Any, **_: Any) -> None:
        try:
            date = parsedate_to_datetime(http_response.headers.get("Date", "")).timestamp()
        except (TypeError, ValueError):
            return
        ahead = date - _uptime()
        with self._lock:
            if self._ahead is None or ahead > self._ahead or ahead < self._ahead - _INEXACT:
                self._ahead = ahead


# ---------------------------------------------------------------- typed values


def to_dynamodb(values: Mapping[str, Any]) -> Item:
    """Python values as DynamoDB's typed ones."""
    return {name: _serialize(value) for name, value in values.items()}


def from_dynamodb(item: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB's typed values as Python ones, numbers as Decimal, binaries as Binary."""
    return {name: _deserialize(value) for name, value in item.items()}
