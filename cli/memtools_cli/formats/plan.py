"""What to do with the memories of another program."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from memtools.domain.trace import FACT_LIMIT, TAG_LIMIT

from memtools_cli.formats.dates import moment_of

_FACTS_A_CALL: Final = 100
_BYTES_A_CALL: Final = 1024 * 1024
_TAG_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is not taken over: what, and why. The reasons are few, so that they can be counted."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(slots=True)
class Plan:
    """Facts as calls of memory_add, documents, the users that the file names, and what is left out or understood.

    ``documents`` are the texts for MEMORY.md and USER.md by target, ``agent_documents`` those of the agent by name.
    ``taken`` counts what became of what.
    """

    calls: list[dict[str, Any]] = field(default_factory=list)
    documents: dict[str, str] = field(default_factory=dict)
    agent_documents: dict[str, str] = field(default_factory=dict)
    users: set[str] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    _bytes: int = 0

    def leave(self, what: str, why: str) -> None:
        """Note something that is left out."""
        self.left_out.append(LeftOut(what, why))

    def leave_fields(self, what: str, value: Mapping[str, Any], known: Iterable[str]) -> None:
        """Note the fields of ``value`` that say something and are not among the known ones."""
        for name in value.keys() - set(known):
            if value[name] not in (None, "", [], {}):
                self.leave(what, f"`{name}` is not kept")

    def add_fact(
        self, text: str, *, what: str, of: str, tags: Iterable[Any] = (), occurred: Any = None, expires: Any = None
    ) -> None:
        """Add a fact unless no tool would store it. A date that is no day is left out, and the fact is kept."""
        if reason := _unstorable(text):
            self.leave(what, reason)
            return
        end = self._moment(what, expires)
        if end and datetime.fromisoformat(end).replace(tzinfo=UTC) <= datetime.now(UTC):
            self.leave(what, "it has expired")
            return
        rest: dict[str, Any] = {"tags": self._tags(what, tags)}
        if moment := self._moment(what, occurred):
            rest["occurredAt"] = moment
        if end:
            rest["expiresAt"] = end
        self._append(text, rest)
        self.taken[of, "fact"] += 1

    def _append(self, text: str, rest: dict[str, Any]) -> None:
        """Add the fact to the call before where all but the text is the same."""
        size = len(text.encode())
        if self.calls:
            last = self.calls[-1]
            fits = len(last["facts"]) < _FACTS_A_CALL and self._bytes + size <= _BYTES_A_CALL
            if fits and {**last, "facts": None} == {**rest, "facts": None}:
                last["facts"].append(text)
                self._bytes += size
                return
        self.calls.append({**rest, "facts": [text]})
        self._bytes = size

    def _moment(self, what: str, value: Any) -> str | None:
        if value in (None, ""):
            return None
        try:
            moment, first_day = moment_of(value)
        except ValueError:
            self.leave(f"{what}, date `{str(value)[:40]}`", "it is no day; the memory is kept without it")
            return None
        if first_day:
            self.understood.append(f"{what}: `{value}` is taken as {moment}")
        return moment

    def _tags(self, what: str, tags: Iterable[Any]) -> list[str]:
        good: dict[str, None] = {}
        for tag in tags:
            if not isinstance(tag, str) or len(tag) > _TAG_LENGTH or _is_broken(tag):
                self.leave(f"{what}, tag `{str(tag)[:40]}`", "no tag can be like this")
            elif tag.strip():
                good[tag.strip()] = None
        for tag in list(good)[TAG_LIMIT:]:
            self.leave(f"{what}, tag `{tag}`", f"a memory has {TAG_LIMIT} tags at most")
        return list(good)[:TAG_LIMIT]


def _unstorable(text: str) -> str:
    """Why no tool would store the text; empty where one would."""
    if not text.strip():
        return "it is blank"
    if _is_broken(text):
        return "it holds half of a surrogate pair, which cannot be stored"
    if len(text.encode()) > FACT_LIMIT:
        return f"it is longer than {FACT_LIMIT} bytes"
    return ""


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
