"""JSON-RPC 2.0 as MCP uses it: one message at a time, with a text or an integer as id."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from memtools.errors import InvalidArguments, ToolError
from memtools.wire.incoming import encodable, parse_json, printable

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

_ID_LIMIT: Final = 1_000  # characters, because every reply repeats the id


class Refused(Exception):
    """A message that gets a JSON-RPC error. ``data`` has our own code, as in every error of the tools."""

    def __init__(self, code: int, message: str, ours: str = InvalidArguments.code, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = {"code": ours, **data}
        self.id: str | int | None = None

    @classmethod
    def of(cls, error: ToolError, code: int = INVALID_REQUEST, identity: str | int | None = None) -> "Refused":
        """An error of ours outside a tool's call, such as one of the scope."""
        refused = cls(code, error.message, error.code, details=dict(error.details), retryable=error.retryable)
        refused.id = identity
        return refused

    def reply(self) -> dict[str, Any]:
        """The error as a message."""
        error = {"code": self.code, "message": self.message, "data": self.data}
        return {"jsonrpc": "2.0", "id": self.id, "error": encodable(error)}


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification, which has no id and gets no reply."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    id: str | int | None = None

    @property
    def meta(self) -> dict[str, Any]:
        """What the client's machinery says about the request."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    def reply(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The result as a message."""
        return {"jsonrpc": "2.0", "id": self.id, "result": encodable(dict(result))}


@contextmanager
def refusing(identity: Any) -> Iterator[None]:
    """Give the id of the message, if it is a valid one, to what is refused inside."""
    try:
        yield
    except Refused as refused:
        refused.id = identity if _is_id(identity) else None
        raise


def read(text: str | bytes) -> Message:
    """The message. Raises Refused, with the message's id if that is readable."""
    try:
        found = parse_json(text)
    except ToolError:
        raise Refused(PARSE_ERROR, "The message is not valid JSON, or a name occurs twice in an object.") from None
    if isinstance(found, list):
        raise Refused(INVALID_REQUEST, "Batches are not supported. Send each request on its own.")
    if not isinstance(found, dict):
        raise Refused(INVALID_REQUEST, "A message must be one JSON object.")
    with refusing(found.get("id")):
        return _message(found)


def _message(found: dict[str, Any]) -> Message:
    method, params = found.get("method"), found.get("params", {})
    if found.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, '`jsonrpc` must be "2.0".')
    if "id" in found and not _is_id(found["id"]):
        raise Refused(INVALID_REQUEST, f"`id` must be an integer, or a text of at most {_ID_LIMIT} characters.")
    if not isinstance(method, str):
        raise Refused(INVALID_REQUEST, "`method` must be the name of a method. This server sends no requests.")
    if not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "`params` must be an object.")
    return Message(method, params, found.get("id"))


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _ID_LIMIT and printable(value) == value
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
