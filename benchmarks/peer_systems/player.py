"""Plays scopes in a system: adds everything, then asks everything, and takes the time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmarks.peer_systems.task import Scope, Vectors

LIMIT = 10


class System(Protocol):
    """A memory that is empty when it is made."""

    @property
    def seconds_apart(self) -> float:
        """Time that calls have spent up to now in what is not to be measured."""
        ...

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        """Remember the texts, which were said at ``moment``; the id of each, in order."""
        ...

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        """The ids of what fits best, best first."""
        ...


Make = Callable[[Vectors], System]


@dataclass(slots=True)
class Played:
    """What was seen: for each scope the ids of its texts and the answer to each question, and milliseconds."""

    ids: list[list[str]] = field(default_factory=list)
    answers: list[list[list[str]]] = field(default_factory=list)
    add_ms: float = 0.0
    search_ms: list[float] = field(default_factory=list)


def play(system: System, scopes: Sequence[Scope]) -> Played:
    """Add all scopes, then ask. A scope's first question is asked once more, beforehand and untimed, to warm it up."""
    played = Played()
    for scope in scopes:
        ids: list[str] = []
        for call in scope.calls:
            added, elapsed = _timed(system, system.add, scope.name, call.texts, call.moment)
            ids += added
            played.add_ms += elapsed
        played.ids.append(ids)
    for scope in scopes:
        system.search(scope.name, scope.questions[0], LIMIT)
        answers = []
        for question in scope.questions:
            answer, elapsed = _timed(system, system.search, scope.name, question, LIMIT)
            answers.append(answer)
            played.search_ms.append(elapsed)
        played.answers.append(answers)
    return played


def _timed(system: System, method: Callable[..., list[str]], *given: Any) -> tuple[list[str], float]:
    """What the method gives, and its milliseconds without those that the system sets apart."""
    apart, start = system.seconds_apart, time.perf_counter()
    result = method(*given)
    elapsed = time.perf_counter() - start - (system.seconds_apart - apart)
    return result, max(elapsed, 0.0) * 1000
