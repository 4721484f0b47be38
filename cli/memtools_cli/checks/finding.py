"""What a check found."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from memtools_cli.failures import EXPECTED, Failure, Forbidden, Unavailable, failure_of

State = Literal["ok", "warning", "problem"]
_AS_DEPLOYED: Final = "Check the names given, and that the stack is deployed as the template says."


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


def checked(check: str, look: Callable[[], Iterable[Finding]], advice: str = _AS_DEPLOYED) -> Iterator[Finding]:
    """The findings of ``look``; where it fails for good, the failure is one more, with this advice."""
    try:
        yield from look()
    except EXPECTED as error:
        failure = failure_of(error)
        yield Finding(check, "problem", failure.message, _advice(failure, advice))


def _advice(failure: Failure, otherwise: str) -> str:
    match failure:
        case Forbidden():
            return "Sign in as somebody who may do this, or get the permission."
        case Unavailable():
            return "Check address, region and network, then run the check-up again."
        case _:
            return otherwise
