"""What to do with a file of another program."""

from dataclasses import dataclass, field
from typing import Any, Final

_FACTS_A_CALL: Final = 100
_TAG_LIMIT: Final = 100


@dataclass(slots=True)
class Plan:
    """Tool calls in order, documents of the agent, the users that the file names, and what is left out and why."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    agent_documents: dict[str, str] = field(default_factory=dict)
    users: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)

    def add_fact(self, text: str, tags: list[str], **more: str) -> None:
        """Add a fact, in the same call as the one before where all but the text is the same."""
        rest = {"tags": [tag for tag in tags if len(tag) <= _TAG_LIMIT], **more}
        if self.calls:
            _, last = self.calls[-1]
            if {**last, "facts": None} == {**rest, "facts": None} and len(last["facts"]) < _FACTS_A_CALL:
                last["facts"].append(text)
                return
        self.calls.append(("memory_add", {**rest, "facts": [text]}))

    def add_entry(self, target: str, text: str) -> None:
        """Add an entry to a document."""
        self.calls.append(("memory_edit", {"action": "add", "target": target, "text": text}))
