"""A connection to the HTTP API: signed (SigV4), with a token, or, on this machine, with neither."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol
from urllib.parse import quote, urlsplit

import urllib3
from urllib3.exceptions import HTTPError

from memtools_client.errors import (
    Fault,
    InvalidArguments,
    MemoryToolError,
    NotFound,
    TooLarge,
    Unavailable,
    Unscoped,
    error_of,
)
from memtools_client.retries import seconds_of
from memtools_client.wire import CONNECT_SECONDS, READ_SECONDS, Scope, json_ready

_OK: Final = 200
_THROTTLED: Final = 429
_FIRST_SERVER_ERROR: Final = 500
# What a status means where API Gateway answered itself, and no function did.
_BY_STATUS: Final[Mapping[int, type[MemoryToolError]]] = {401: Unscoped, 403: Unscoped, 404: NotFound, 413: TooLarge}


class Authorization(Protocol):
    """How a request proves who sends it."""

    scoped: bool
    """See Connection."""

    def headers(self, url: str, body: bytes, headers: Mapping[str, str]) -> Mapping[str, str]:
        """These headers, and those that authorize the request. Raises Unscoped where there are no credentials."""
        ...


class Unsigned:
    """No proof: a service on this machine believes the headers."""

    scoped = True

    def __init__(self, url: str) -> None:
        if not _is_local(url):
            raise ValueError("Only a service on this machine takes unsigned calls: sign them, or give a token.")

    def headers(self, url: str, body: bytes, headers: Mapping[str, str]) -> Mapping[str, str]:  # noqa: ARG002
        """These headers."""
        return headers


class Bearer:
    """A token, which also says who the user is; or a function that returns one, called before each request."""

    scoped = False

    def __init__(self, token: str | Callable[[], str]) -> None:
        self._token = token

    def headers(self, url: str, body: bytes, headers: Mapping[str, str]) -> Mapping[str, str]:  # noqa: ARG002
        """These headers and the token."""
        token = self._token() if callable(self._token) else self._token
        return {**headers, "authorization": f"Bearer {token}"}


class HttpConnection:
    """Sends ``POST <url>/tools/<tool>``. ``connect`` and ``read`` are timeouts in seconds.

    Raises ValueError where ``url`` is neither https nor on this machine.
    """

    def __init__(
        self, url: str, authorization: Authorization, *, connect: float = CONNECT_SECONDS, read: float = READ_SECONDS
    ) -> None:
        scheme = urlsplit(url).scheme
        if scheme != "https" and (scheme != "http" or not _is_local(url)):
            raise ValueError(f"{url!r} is no address of an HTTP API: it has to be https, or on this machine.")
        self._url = url.rstrip("/")
        self._authorization = authorization
        # No retries, since retries.py decides those. No redirects, since they would take the signature along.
        self._pool = urllib3.PoolManager(maxsize=32, timeout=urllib3.Timeout(connect=connect, read=read), retries=False)
        self.scoped = authorization.scoped

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope, key: str) -> Mapping[str, Any]:
        """See Connection."""
        url = f"{self._url}/tools/{quote(tool, safe='')}"
        body = json.dumps(json_ready(arguments)).encode()
        headers = {"content-type": "application/json", "idempotency-key": key}
        headers |= _scope_headers(scope) if self.scoped else {}
        authorized = self._authorization.headers(url, body, headers)
        try:
            response = self._pool.request("POST", url, body=body, headers=dict(authorized))
        except HTTPError as error:
            raise Unavailable(f"The memory did not answer ({type(error).__name__}).") from error
        reply = _json_object(response.data)
        if response.status == _OK and reply is not None:
            return reply
        raise _error(response.status, reply or {}, seconds_of(response.headers.get("retry-after")))


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")


def _scope_headers(scope: Scope) -> dict[str, str]:
    names = {"x-memory-agent": scope.agent, "x-memory-user": scope.user}
    return {header: _header_value(name) for header, name in names.items() if name is not None}


def _header_value(name: str) -> str:
    """The name, if a header carries it unchanged: one that API Gateway trims or joins could be somebody else's."""
    if not name or not name.isascii() or not name.isprintable() or "," in name or name != name.strip():
        raise Unscoped(
            "The name of an agent or a user goes into a header, so it has to be printable ASCII, without a comma and"
            " without white space around it. By direct invoke any name can be given."
        )
    return name


def _json_object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _error(status: int, problem: Mapping[str, Any], wait: float) -> MemoryToolError:
    """The error that a function reported, or what API Gateway's own answer means."""
    message = str(problem.get("detail") or problem.get("message") or f"The memory answered with status {status}.")
    if problem.get("code") == Fault.code:
        return error_of(Fault.code, message, problem.get("details"))
    if status in (_THROTTLED, _OK) or status >= _FIRST_SERVER_ERROR:
        unavailable = Unavailable(message, problem.get("details"), wait=wait)
        unavailable.from_tool = problem.get("code") == Unavailable.code
        return unavailable
    if "code" in problem:
        return error_of(problem["code"], message, problem.get("details"))
    return _BY_STATUS.get(status, InvalidArguments)(message)
