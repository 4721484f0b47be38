"""Where the tools are called: an HTTP API, or the functions themselves."""

from typing import Any, Final, Protocol

from memtools.retry import attempts

from memtools_cli.failures import Exit, Failure
from memtools_cli.options import Reach, Whose
from memtools_cli.targets.functions import FunctionTarget
from memtools_cli.targets.http import HttpTarget

_PATIENCE: Final = 8


class Target(Protocol):
    """Something that runs tools for one agent and one user."""

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """The tool's reply. Raises Failure with the tool's own code and message, or what kept it from answering."""
        ...


def target_of(reach: Reach, whose: Whose) -> Target:
    """The one that the options name. Raises Failure where they name none, or several."""
    way, value = reach.chosen()
    if way == "url":
        return HttpTarget.of(value, reach, whose)
    return FunctionTarget.of(way, value, whose)


def patiently(target: Target, tool: str, arguments: Any) -> dict[str, Any]:
    """Call the tool, again where it is unavailable: sending the same call twice does what sending it once does."""
    for number in attempts():
        try:
            return target.call(tool, arguments)
        except Failure as failure:
            if failure.exit is not Exit.UNAVAILABLE or number + 1 >= _PATIENCE:
                raise
    return target.call(tool, arguments)
