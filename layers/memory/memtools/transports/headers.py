"""Header fields as callers' infrastructure hands them over."""

from collections.abc import Iterable
from typing import Any, Final

from memtools.domain.scope import Scope
from memtools.errors import Unscoped

AGENT: Final = "x-memory-agent"
USER: Final = "x-memory-user"


class Headers:
    """Every value of every field; names compare without case. What is no text counts as not sent.

    Each source is an object (name to value, or to a list of values) or such an object's pairs.
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

    def scope(self, default_agent: str) -> Scope:
        """Whom the scope's headers name. Raises Unscoped, also where a header could be read in two ways."""
        return Scope(self._only(AGENT) or default_agent, self._only(USER))

    def _only(self, name: str) -> str:
        """The one value of a field that decides whose memory it is: nobody vouches for which of several counts.

        A comma is how proxies and API Gateway join the values of a field that was sent twice.
        """
        values = set(self._values.get(name, []))
        if len(values) > 1 or any("," in value for value in values):
            raise Unscoped(
                f"The header {name} was sent more than once, or holds a comma, which is how several values are joined."
                " It has to name exactly one.",
                invalid=name,
            )
        return next(iter(values), "")


def _pairs(source: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(source, dict):
        return source.items()
    pairs = source if isinstance(source, list) else []
    return [pair for pair in pairs if isinstance(pair, tuple)]
