"""Calls of tools as callers make them: arguments by name, replies as plain dictionaries."""

from dataclasses import dataclass, replace
from typing import Any

from memtools.backend import Backend
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope


@dataclass(frozen=True)
class Caller:
    """Somebody with a memory: ``ana.search(query="...")`` calls ``memory_search`` in Ana's scope."""

    memory: Backend
    scope: Scope
    key: str | None = None
    """The idempotency key that goes with each call."""

    def __getattr__(self, tool: str) -> Any:
        name = f"memory_{tool}"

        def call(**arguments: Any) -> dict[str, Any]:
            given = {key.rstrip("_"): value for key, value in arguments.items()}
            return TOOLS[name].call(self.memory, self.scope, given, self.key).as_dict()

        return call

    def keyed(self, key: str) -> "Caller":
        """The same caller, whose calls have this idempotency key."""
        return replace(self, key=key)

    def remember(self, *facts: str, **arguments: Any) -> list[str]:
        """Add facts one by one, so that each is younger than the one before; their ids."""
        return [self.add(facts=[fact], **arguments)["saved"][0]["id"] for fact in facts]

    def contents(self, query: str, **arguments: Any) -> list[str]:
        """What a search finds."""
        return [hit["content"] for hit in self.search(query=query, **arguments)["results"]]

    def all(self) -> list[str]:
        """What all pages of a list hold, newest first."""
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = self.list(limit=100, **cursor)
            found += [one["content"] for one in page["results"]]
            if "nextCursor" not in page:
                return found
            cursor = {"cursor": page["nextCursor"]}
