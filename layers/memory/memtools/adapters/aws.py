"""What both stores share: client settings, parallel calls, and AWS errors as ours."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from memtools.errors import Unavailable
from memtools.retry import out_of_time

T = TypeVar("T")
R = TypeVar("R")

_CONNECTIONS = 32

# At worst a call takes three attempts of four seconds and two pauses of together three: 15 seconds. retry.py counts on
# that.
CONFIG = Config(
    connect_timeout=1,
    read_timeout=3,
    max_pool_connections=_CONNECTIONS,
    retries={"mode": "standard", "total_max_attempts": 3},
)

_pool = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="aws")


def in_parallel(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """``map`` with the calls at the same time: as many AWS calls, one round trip."""
    return _pool.map(function, items)


def code_of(error: ClientError) -> str:
    """AWS's name for the error."""
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated_errors(consequence: str) -> Iterator[None]:
    """AWS errors that nobody handled become Unavailable; no text of theirs passes. ``consequence`` says what now is.

    Unavailable at once where there is no time left for another call.
    """
    if out_of_time():
        raise Unavailable(f"The memory store is slow. {consequence}")
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        cause = code_of(error) if isinstance(error, ClientError) else type(error).__name__
        raise Unavailable(f"The memory store did not answer. {consequence}") from Fault(cause)


class Fault(Exception):
    """Names an AWS error for the log, without its text, which may hold content."""


READ_FAILED = "Send the same call again in a moment."
WRITE_FAILED = (
    "The change was stored either completely or not at all. Sending the same call again is safe and makes sure that it"
    " is stored."
)

Client = Any  # boto3 makes its clients at run time; the calls are typed by the contract suite against real ones
