"""What a history is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OK: Final = "ok"
REFUSED: Final = "refused"
UNKNOWN: Final = "unknown"  # no answer, or one that says that it may have had an effect


@dataclass(frozen=True, slots=True)
class Event:
    """One call: when it began and ended by the clock of who called, and what was told.

    ``purpose`` says why it was made, for the checker; a call sent again has the ``key`` of the first one.
    """

    process: int
    tool: str
    arguments: Mapping[str, Any]
    began: float
    ended: float
    outcome: str
    reply: Mapping[str, Any] = field(default_factory=dict)
    purpose: str = ""
    key: str = ""

    def __str__(self) -> str:
        told = self.reply.get("code", self.outcome)
        span = f"{self.began:.3f}-{self.ended:.3f}"
        return f"[{span}] process {self.process}: {self.tool} {dict(self.arguments)} -> {told} ({self.purpose})"
