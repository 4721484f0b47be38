"""What envelopes are decoded to, and how they are read: JSON, objects, header fields."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, ToolError, Unscoped

Event = Mapping[str, Any]
Outcome = Mapping[str, Any] | ToolError  # a reply as JSON, or an error

LAMBDA_REPLY_LIMIT: Final = 6 * 1024 * 1024  # bytes that Lambda can return
AGENT_HEADER: Final = "x-memory-agent"
USER_HEADER: Final = "x-memory-user"
# No comma, because proxies and API Gateway join the values of a repeated header with commas.
_KEY: Final = re.compile(r"[!-+\--~]{1,200}")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: ``arguments`` as the caller sent them, ``scope`` as the caller's infrastructure set it.

    ``key`` is the call's idempotency key, if it has one. Raises InvalidArguments if it is not usable.
    """

    tool: str
    arguments: object
    scope: Scope
    key: str | None = None

    def __post_init__(self) -> None:
        require_usable(self.key)


def require_usable(key: Any) -> None:
    """Raises InvalidArguments for an idempotency key that cannot be used."""
    if key is not None and not (isinstance(key, str) and _KEY.fullmatch(key)):
        raise InvalidArguments(
            "The idempotency key must be a text of 1 to 200 visible ASCII characters without a comma. Nothing was"
            " done.",
            argument="idempotencyKey",
        )


class Transport(Protocol):
    """An envelope. Each module of transports/ is one. ``context`` is Lambda's.

    ``REPLY_LIMIT`` is the maximum number of bytes of JSON in a reply.
    """

    REPLY_LIMIT: int

    def decode(self, event: Event, default_agent: str, context: Any = None) -> Call:
        """The call in the event. ``default_agent`` is the agent of callers that name none. Raises ToolError."""
        ...

    def encode(self, event: Event, outcome: Outcome) -> dict[str, Any]:
        """The envelope's reply."""
        ...


def object_of(value: Any) -> dict[str, Any]:
    """``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def custom_context(context: Any) -> dict[str, Any]:
    """What the caller's infrastructure put into Lambda's client context."""
    return object_of(getattr(getattr(context, "client_context", None), "custom", None))


def size_of(reply: Mapping[str, Any]) -> int:
    """The bytes of a reply as JSON."""
    return len(json.dumps(reply, ensure_ascii=False).encode(errors="surrogatepass"))


def printable(name: Any) -> str:
    """``name`` as text that can be sent back, so without halves of surrogate pairs."""
    return str(name).encode(errors="replace").decode()


def encodable(value: Any) -> Any:
    """The value without halves of surrogate pairs, at any depth: what UTF-8 cannot express cannot be sent."""
    match value:
        case str():
            return printable(value)
        case dict():
            return {printable(name): encodable(part) for name, part in value.items()}
        case list():
            return [encodable(part) for part in value]
    return value


def parse_json(text: str | bytes) -> Any:
    """``text`` as JSON in UTF-8. Raises InvalidArguments, also for a name that occurs twice in an object."""
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        raise InvalidArguments("The body is not valid JSON. Send the arguments as one JSON object.") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as an object. Raises ValueError for a repeated name: readers differ on which value counts."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


class Headers:
    """All values of all header fields. Names are case-insensitive. Values that are not text count as absent.

    Each source is an object (name to value, or to a list of values) or the pairs of such an object.
    """

    def __init__(self, *sources: Any) -> None:
        self._values: dict[str, list[str]] = {}
        for source in sources:
            for name, value in _pairs(source):
                texts = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
                self._values.setdefault(str(name).lower(), []).extend(texts)

    def get(self, name: str, default: str = "") -> str:
        """The field's first value."""
        return next(iter(self._values.get(name, [])), default)

    def all(self, name: str) -> str | None:
        """The field's values as one text, with a comma between those that differ; None if it is absent."""
        return ",".join(dict.fromkeys(self._values[name])) if self._values.get(name) else None

    def scope(self, default_agent: str) -> Scope:
        """The scope that the headers name. Raises Unscoped, also if a header is ambiguous."""
        return Scope(self._only(AGENT_HEADER) or default_agent, self._only(USER_HEADER))

    def _only(self, name: str) -> str:
        """The only value of a field that decides the scope. Of several values, none can be trusted.

        A comma counts as several, because proxies and API Gateway join the values of a repeated field with commas.
        """
        values = set(self._values.get(name, []))
        if len(values) > 1 or any("," in value for value in values):
            raise Unscoped(
                f"The header {name} was sent more than once or contains a comma, which joins repeated headers. It must"
                " have exactly one value.",
                invalid=name,
            )
        return next(iter(values), "")


def _pairs(source: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(source, dict):
        return source.items()
    pairs = source if isinstance(source, list) else []
    return [pair for pair in pairs if isinstance(pair, tuple)]
