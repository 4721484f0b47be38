"""One message and its reply. What needs no tool is answered here; the rest becomes the call of a tool."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memtools.errors import ToolError
from memtools.wire.incoming import Outcome, encodable, printable
from memtools.wire.mcp import offer, revisions
from memtools.wire.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Message, Refused, refusing

KEY: Final = "memtools/idempotencyKey"
_ERROR: Final = "memtools/error"
# How long clients may keep a list, in milliseconds. It changes only with a new version of the server.
_KEPT: Final = 60 * 60 * 1000
_RESOURCE_NOT_FOUND: Final = -32002  # in older revisions


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The call of a tool that a message asks for. ``key`` is its idempotency key as it was sent."""

    tool: str
    arguments: object
    key: Any = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request of a client that was offered the tools of ``profile``."""

    message: Message
    profile: str
    current: bool

    @classmethod
    def of(cls, message: Message, profile: str) -> "Exchange":
        """Raises Refused if the message's revision is unknown."""
        with refusing(message.id):
            return cls(message, profile, revisions.is_current(message))

    def open(self) -> dict[str, Any] | ToolCall | None:
        """The reply, or the tool to call for it; None for a notification. Raises Refused."""
        if self.message.id is None:
            return None
        with refusing(self.message.id):
            if call := {"tools/call": self._tool_call, "resources/read": self._read_call}.get(self.message.method):
                return call()
            return self._reply(self._answer())

    def close(self, outcome: Outcome) -> dict[str, Any]:
        """The reply with what the tool returned. An error of a tool is a result that the model reads."""
        if self.message.method == "resources/read":
            return self._document(outcome)
        if isinstance(outcome, ToolError):
            error = outcome.as_dict()
            # Not as structured content: clients check that against the schema of the tool's reply.
            return self._reply({"content": [_text(error)], "isError": True, "_meta": {_ERROR: error}})
        reply = dict(outcome)
        return self._reply({"content": [_text(reply)], "structuredContent": reply, "isError": False})

    def _answers(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The methods that need no tool. Only some exist in both kinds of revisions."""
        lists: dict[str, Callable[[], dict[str, Any]]] = {
            "tools/list": lambda: self._listed("tools", offer.tools(self.profile)),
            "resources/list": lambda: self._listed("resources", offer.RESOURCES),
            "resources/templates/list": lambda: self._listed("resourceTemplates", []),
            "prompts/list": lambda: self._listed(
                "prompts",
                [{"name": offer.GUIDE_NAME, "title": "How to use this memory", "description": offer.GUIDE_ABOUT}],
            ),
            "prompts/get": self._prompt,
        }
        if self.current:
            return {"server/discover": self._discovered, **lists}
        return {"initialize": self._initialized, "ping": dict, **lists}

    def _answer(self) -> dict[str, Any]:
        answers = self._answers()
        if self.message.method not in answers:
            known = ", ".join(["tools/call", "resources/read", *answers])
            raise Refused(METHOD_NOT_FOUND, f"Unknown method. This server has {known}.", "not_found")
        return answers[self.message.method]()

    def _reply(self, result: Mapping[str, Any]) -> dict[str, Any]:
        return self.message.reply({"resultType": "complete", **result} if self.current else result)

    def _listed(self, name: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        """A list whole, the same for everybody. There are no pages, so no cursor is valid."""
        if self.message.params.get("cursor") is not None:
            raise Refused(INVALID_PARAMS, "The list has one page: leave out `cursor`.")
        return {name: items, **self._kept("public", _KEPT)}

    def _kept(self, scope: str, milliseconds: int) -> dict[str, Any]:
        return {"ttlMs": milliseconds, "cacheScope": scope} if self.current else {}

    def _discovered(self) -> dict[str, Any]:
        return {
            "supportedVersions": list(revisions.SUPPORTED),
            "capabilities": _capabilities(),
            "instructions": offer.INSTRUCTIONS,
            "_meta": {revisions.SERVER: _server()},
            **self._kept("public", _KEPT),
        }

    def _initialized(self) -> dict[str, Any]:
        return {
            "protocolVersion": revisions.agreed(self.message.params.get("protocolVersion")),
            "capabilities": _capabilities(),
            "serverInfo": _server(),
            "instructions": offer.INSTRUCTIONS,
        }

    def _prompt(self) -> dict[str, Any]:
        if self.message.params.get("name") != offer.GUIDE_NAME:
            raise Refused(INVALID_PARAMS, f"Unknown prompt. The only one is {offer.GUIDE_NAME}.", "not_found")
        content = {"type": "text", "text": offer.GUIDE}
        return {"description": offer.GUIDE_ABOUT, "messages": [{"role": "user", "content": content}]}

    def _tool_call(self) -> ToolCall:
        names = [tool["name"] for tool in offer.tools(self.profile)]
        name, arguments = self.message.params.get("name"), self.message.params.get("arguments")
        if not isinstance(name, str) or name not in names:
            raise Refused(INVALID_PARAMS, f"Unknown tool. This server has {', '.join(names)}.", "not_found")
        return ToolCall(name, {} if arguments is None else arguments, self.message.meta.get(KEY))

    def _read_call(self) -> ToolCall:
        uri = self.message.params.get("uri")
        if not isinstance(uri, str) or uri not in offer.TARGETS:
            raise Refused(
                INVALID_PARAMS if self.current else _RESOURCE_NOT_FOUND,
                f"Unknown resource. This server has {', '.join(offer.TARGETS)}.",
                "not_found",
                uri=printable(uri)[:200],
            )
        return ToolCall("memory_read", {"target": offer.TARGETS[uri]})

    def _document(self, outcome: Outcome) -> dict[str, Any]:
        if isinstance(outcome, ToolError):
            return Refused.of(outcome, INTERNAL_ERROR, self.message.id).reply()
        content = {"uri": self.message.params["uri"], "mimeType": "text/markdown", "text": outcome.get("text", "")}
        return self._reply({"contents": [content], **self._kept("private", 0)})


def _text(value: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's reply as the model reads it."""
    return {"type": "text", "text": json.dumps(encodable(dict(value)), ensure_ascii=False)}


def _capabilities() -> dict[str, Any]:
    return {"tools": {}, "resources": {}, "prompts": {}}


def _server() -> dict[str, Any]:
    return {"name": "memtools", "title": "Memory", "version": offer.version()}
