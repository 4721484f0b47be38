"""What a check found."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memtools_cli.failures import Exit, Failure

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``found`` is how it is; ``advice`` what to do, where it should be otherwise."""

    check: str
    state: State
    found: str
    advice: str = ""

    def as_dict(self) -> dict[str, str]:
        """For people and programs."""
        return {name: value for name, value in asdict(self).items() if value}


def judged(check: str, good: Any, found: str, advice: str, *, otherwise: State = "problem") -> Finding:
    """Ok where it is good, else ``otherwise``, with advice."""
    return Finding(check, "ok", found) if good else Finding(check, otherwise, found, advice)


_ADVICE = {
    Exit.FORBIDDEN: "Sign in as somebody who may do this, or have it allowed.",
    Exit.UNAVAILABLE: "Check address, region and network, then run the check-up again.",
}


def survived(check: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """The findings of a look; where it fails, that is the finding."""
    try:
        yield from look()
    except Failure as failure:
        advice = _ADVICE.get(
            failure.exit, "Check the names given, and that the stack is deployed as the template says."
        )
        yield Finding(check, "problem", failure.message, advice)
