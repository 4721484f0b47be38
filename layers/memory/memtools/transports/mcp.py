"""``/mcp``: the Model Context Protocol over HTTP, one JSON-RPC message a POST and one JSON answer, without sessions.

``?profile=full`` in the address offers all tools.
"""

import base64
import binascii
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError, Unscoped
from memtools.transports.http import Request, body_of, request_of, response
from memtools.wire.incoming import LAMBDA_REPLY_LIMIT, Call, Event, Headers, Outcome
from memtools.wire.mcp import revisions
from memtools.wire.mcp.exchange import Exchange, ToolCall
from memtools.wire.mcp.jsonrpc import METHOD_NOT_FOUND, Message, Refused, read, refusing
from memtools.wire.mcp.offer import PROFILES

_JSON: Final = "application/json"
_HEADER_MISMATCH: Final = -32020
_VERSION_HEADER: Final = "mcp-protocol-version"
# The parameter that the header Mcp-Name repeats.
_NAMES: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ENCODED: Final = ("=?base64?", "?=")

Response = dict[str, Any]


class Received:
    """A request to ``/mcp``: an envelope of one call, if a tool is needed, else ``response`` has the answer."""

    REPLY_LIMIT = LAMBDA_REPLY_LIMIT

    def __init__(self, event: Event, default_agent: str) -> None:
        self.response: Response | None = None
        try:
            self._open(event, default_agent)
        except ToolError as error:
            self.response = _refusal(error)
        except Refused as refused:
            self.response = response(_status(refused), _JSON, refused.reply())

    def _open(self, event: Event, default_agent: str) -> None:
        request = request_of(event)
        _require_own_page(request)
        request.require_post()
        request.require_json()
        self._scope: Scope = request.scope(default_agent)
        message = read(body_of(event))
        with refusing(message.id):
            _require_agreement(message, request.headers)
        self._exchange = Exchange.of(message, _profile(event))
        opened = self._exchange.open()
        if opened is None:
            self.response = {**response(HTTPStatus.ACCEPTED, _JSON, {}), "body": ""}
        elif isinstance(opened, ToolCall):
            self._tool_call = opened
        else:
            self.response = response(HTTPStatus.OK, _JSON, opened)

    def decode(self, event: Event, default_agent: str, context: Any = None) -> Call:  # noqa: ARG002
        """The call of the tool. Its scope comes only from what the authorizer checked."""
        call = self._tool_call
        return Call(call.tool, call.arguments, self._scope, call.key)

    def encode(self, event: Event, outcome: Outcome) -> Response:  # noqa: ARG002
        """The tool's reply or error in the answer to the message."""
        return response(HTTPStatus.OK, _JSON, self._exchange.close(outcome))


def _require_own_page(request: Request) -> None:
    """Refuse what a page of another site sends. Programs send no Origin."""
    origin = request.headers.all("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("host").lower():
        raise Unscoped("Pages of other sites may not use this memory.")


def _profile(event: Event) -> str:
    named = parse_qs(str(event.get("rawQueryString") or ""), keep_blank_values=True).get("profile", [PROFILES[0]])
    if len(named) != 1 or named[0] not in PROFILES:
        raise InvalidArguments(f"`profile` in the address must be one of {', '.join(PROFILES)}.")
    return named[0]


def _require_agreement(message: Message, headers: Headers) -> None:
    """Raises Refused if the headers contradict the message, or name an unknown revision.

    Proxies decide by the headers, so what they say must be true.
    """
    stated, version = headers.all(_VERSION_HEADER), message.meta.get(revisions.VERSION)
    if stated is not None and stated not in revisions.SUPPORTED and version in (None, stated):
        raise revisions.unsupported(stated)
    if message.id is None or (version is None and stated != revisions.CURRENT):
        return
    named = message.params.get(_NAMES.get(message.method, ""))
    agree = {
        "MCP-Protocol-Version": stated == version,
        "Mcp-Method": headers.all("mcp-method") == message.method,
        "Mcp-Name": named is None or _decoded(headers.all("mcp-name")) == named,
    }
    if wrong := [name for name, same in agree.items() if not same]:
        raise Refused(_HEADER_MISMATCH, f"The header {wrong[0]} is missing, or differs from the message.")


def _decoded(value: str | None) -> str | None:
    """A header's value. What is not ASCII was sent as base64."""
    begin, end = _ENCODED
    if value is None or not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _status(refused: Refused) -> HTTPStatus:
    return HTTPStatus.NOT_FOUND if refused.code == METHOD_NOT_FOUND else HTTPStatus.BAD_REQUEST


def _refusal(error: ToolError) -> Response:
    """An error before the message was read. Clients take 401 as the beginning of a login, which does not exist here."""
    forbidden = error.status is HTTPStatus.UNAUTHORIZED
    answer = response(HTTPStatus.FORBIDDEN if forbidden else error.status, _JSON, Refused.of(error).reply())
    if error.status is HTTPStatus.METHOD_NOT_ALLOWED:
        answer["headers"]["allow"] = "POST"
    return answer
