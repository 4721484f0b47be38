"""Over the HTTP API: signed (SigV4), with a token, or, on loopback, with neither."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import HTTPError

from memtools_client.errors import (
    InvalidArguments,
    MemoryToolError,
    NotFound,
    TooLarge,
    Unavailable,
    Unscoped,
    error_of,
)
from memtools_client.wire import Scope, sendable

CONNECT_SECONDS: Final = 3.0
# A function has 29 seconds, and API Gateway 30.
READ_SECONDS: Final = 31.0
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_OK: Final = 200
_THROTTLED: Final = 429
_FIRST_SERVER_ERROR: Final = 500


class Authorization(Protocol):
    """What makes the service believe a request."""

    scoped: bool

    def headers(self, url: str, body: bytes, named: Mapping[str, str]) -> Mapping[str, str]:
        """All headers of the request, made of ``named`` and what vouches for it."""
        ...


class Unsigned:
    """Nothing: for the service on this machine, which takes the headers' word."""

    scoped = True

    def __init__(self, url: str) -> None:
        if urlsplit(url).hostname not in _LOOPBACK:
            raise ValueError("Only a service on this machine takes unsigned calls: sign them, or give a token.")

    def headers(self, url: str, body: bytes, named: Mapping[str, str]) -> Mapping[str, str]:  # noqa: ARG002
        """The names alone."""
        return named


class Bearer:
    """A token, or what makes one: it is asked before every request, and may cache."""

    scoped = False

    def __init__(self, token: str | Callable[[], str]) -> None:
        self._token = token

    def headers(self, url: str, body: bytes, named: Mapping[str, str]) -> Mapping[str, str]:  # noqa: ARG002
        """The token; it also says whose memory it is, and so no name goes with it."""
        token = self._token() if callable(self._token) else self._token
        unnamed = {name: value for name, value in named.items() if not name.startswith("x-memory-")}
        return {**unnamed, "authorization": f"Bearer {token}"}


class HttpTransport:
    """``POST <url>/tools/<tool>``; one pool of connections, for any number of threads."""

    def __init__(
        self, url: str, authorization: Authorization, *, connect: float = CONNECT_SECONDS, read: float = READ_SECONDS
    ) -> None:
        address = urlsplit(url)
        if address.scheme != "https" and (address.scheme != "http" or address.hostname not in _LOOPBACK):
            raise ValueError(f"{url!r} is no address of an HTTP API: it has to be https, or on this machine.")
        self._url = url.rstrip("/")
        self._authorization = authorization
        # Neither retries nor redirects: the one is decided elsewhere, the other would take a signature along.
        self._pool = urllib3.PoolManager(maxsize=32, timeout=urllib3.Timeout(connect=connect, read=read), retries=False)
        self.scoped = authorization.scoped

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope) -> Mapping[str, Any]:
        """One request; see Transport."""
        url = f"{self._url}/tools/{tool}"
        body = json.dumps(sendable(arguments)).encode()
        named = {"content-type": "application/json", **(_names(scope) if self.scoped else {})}
        headers = self._authorization.headers(url, body, named)
        try:
            answer = self._pool.request("POST", url, body=body, headers=dict(headers))
        except HTTPError as error:
            raise Unavailable(f"The memory did not answer ({type(error).__name__}).") from error
        return _reply(answer.status, answer.data, answer.headers.get("retry-after", ""))


def _names(scope: Scope) -> dict[str, str]:
    given = {"x-memory-agent": scope.agent, "x-memory-user": scope.user}
    return {header: _header(value) for header, value in given.items() if value is not None}


def _header(name: str) -> str:
    """The name as a header can hold it: what API Gateway would trim, join or garble could name somebody else."""
    if not name or not name.isascii() or not name.isprintable() or "," in name or name != name.strip():
        raise Unscoped(
            "The name of an agent or a user goes into a header, so it has to be of printable ASCII, without a comma and"
            " without white space around it. Any name can be given by direct invoke."
        )
    return name


def _reply(status: int, data: bytes, retry_after: str) -> Mapping[str, Any]:
    told = _object(data)
    if status == _OK and told is not None:
        return told
    raise _error(status, told or {}, float(retry_after) if retry_after.isdecimal() else 0.0)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(data)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def _error(status: int, told: Mapping[str, Any], wait: float) -> MemoryToolError:
    """The problem that a function told, or what API Gateway's own answer means."""
    message = str(told.get("detail") or told.get("message") or f"The memory answered with status {status}.")
    if status in (_THROTTLED, _OK) or status >= _FIRST_SERVER_ERROR:
        return Unavailable(message, told.get("details"), wait=wait)
    if "code" in told:
        return error_of(told["code"], message, told.get("details"))
    own: dict[int, type[MemoryToolError]] = {401: Unscoped, 403: Unscoped, 404: NotFound, 413: TooLarge}
    return own.get(status, InvalidArguments)(message)
