"""What a check found."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memtools_cli.failures import EXPECTED, Failure, Forbidden, Unavailable, failure_of

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``found`` is the state of things; ``advice`` says what to do where it should be another."""

    check: str
    state: State
    found: str
    advice: str = ""

    def as_dict(self) -> dict[str, str]:
        """For people and programs."""
        return {name: value for name, value in asdict(self).items() if value}


def finding(check: str, good: Any, found: str, advice: str, *, otherwise: State = "problem") -> Finding:
    """Ok where it is good, else ``otherwise``, with advice."""
    return Finding(check, "ok", found) if good else Finding(check, otherwise, found, advice)


def checked(check: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """The findings of ``look``; where it fails, the failure is one more."""
    try:
        yield from look()
    except EXPECTED as error:
        failure = failure_of(error)
        yield Finding(check, "problem", failure.message, _advice(failure))


def _advice(failure: Failure) -> str:
    match failure:
        case Forbidden():
            return "Sign in as somebody who may do this, or get the permission."
        case Unavailable():
            return "Check address, region and network, then run the check-up again."
        case _:
            return "Check the names given, and that the stack is deployed as the template says."
