"""What a tool answers: a reply or a refusal, and how one that was expected is compared with one that came."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from memtools.backend import Backend
from memtools.errors import ToolError

from tests.fakes import FakeClock

Make = Callable[[], tuple[Backend, FakeClock]]


@dataclass(frozen=True)
class Refused:
    """A refusal: its code, and what of its details has to be there."""

    code: str
    details: dict[str, Any] = field(default_factory=dict)


Answer = dict[str, Any] | Refused

NOT_FOUND = Refused("not_found")
CONFLICT = Refused("conflict")


def answer(call: Callable[[], dict[str, Any]]) -> Answer:
    try:
        return call()
    except ToolError as error:
        return Refused(error.code, dict(error.details))


def agree(told: Answer, *expected: Answer) -> None:
    """One of the expected answers came; there are several only where the design leaves the choice open."""
    assert any(_says(told, one) for one in expected), f"{told} is none of {expected}"


def _says(told: Answer, expected: Answer) -> bool:
    if isinstance(told, Refused) and isinstance(expected, Refused):
        return told.code == expected.code and told.details | expected.details == told.details
    if isinstance(told, Refused) or isinstance(expected, Refused):
        return False
    said = {**told, "trace": seen(told["trace"])} if "trace" in told else told
    return {name: said.get(name) for name in expected} == expected


def seen(trace: dict[str, Any]) -> dict[str, Any]:
    """What the model knows of a trace in a reply."""
    known = ("id", "content", "tags", "version", "retrievalCount", "expiresAt")
    return {name: trace.get(name) for name in known} | {"mergedFrom": set(trace.get("mergedFrom", []))}


def check(life: type[RuleBasedStateMachine], made: Make, examples: int, steps: int) -> None:
    """Run lives, each in an empty memory."""
    run_state_machine_as_test(
        type("OneLife", (life,), {"make": staticmethod(made)}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
        ),
    )
