"""Whether the tools answer, and take the arguments that the catalogue here says."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from memtools.catalogue import TOOLS
from memtools.tools.tool import AnyTool

from memtools_cli.checks.finding import Finding, judged, survived
from memtools_cli.failures import Failure
from memtools_cli.targets import Target
from memtools_cli.targets.functions import FUNCTIONS, FunctionTarget

_UNKNOWN = "noSuchArgument"
_UPDATE = "Use the version of the command line that the stack was deployed from, or deploy again."
# A call of each function that reads what it reads in earnest, and writes nothing.
_DRY_CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "search traces": ("memory_list", {"limit": 1}),
    "read documents": ("memory_read", {"target": "self"}),
    "add": ("memory_add", {"facts": []}),
}


def findings(target: Target) -> Iterator[Finding]:
    """Whether the tools can be reached and reach their stores; then, whether each is the one known here."""
    reached = list(survived("tools", partial(_answers, target)))
    yield from reached
    if any(one.state == "problem" for one in reached):
        return
    for tool in TOOLS.values():
        yield from survived(tool.name, partial(_drift, target, tool))
    if isinstance(target, FunctionTarget):
        for function in FUNCTIONS:
            yield from survived(f"function {function}", partial(_more, target, function))


def _answers(target: Target) -> Iterator[Finding]:
    for what, (tool, arguments) in _DRY_CALLS.items():
        target.call(tool, arguments)
        yield Finding(f"tools: {what}", "ok", f"{tool} answers")


def _drift(target: Target, tool: AnyTool) -> Iterator[Finding]:
    """Ask for what it takes: an argument that is unknown is refused with the names of those that are known."""
    try:
        target.call(tool.name, {_UNKNOWN: True})
    except Failure as failure:
        if failure.code not in ("invalid_arguments", "not_found"):
            raise
        taken = _names(failure)
    else:
        taken = None
    if taken is None:
        yield Finding(tool.name, "problem", "is not there, or does not say what it takes", _UPDATE)
        return
    here = set(tool.argument_names)
    lacking, more = sorted(here - taken), sorted(taken - here)
    words = [f"does not take {', '.join(lacking)}"] if lacking else []
    words += [f"also takes {', '.join(more)}"] if more else []
    yield judged(tool.name, not words, "; ".join(words) or "takes what is known here", _UPDATE)


def _names(failure: Failure) -> set[str] | None:
    problems = failure.details.get("arguments")
    for one in problems if isinstance(problems, list) else []:
        found = re.search(rf"`{_UNKNOWN}` is no argument; it takes (.+)", str(one.get("problem")))
        if found:
            return set(found[1].split(", "))
    return None


def _more(target: FunctionTarget, function: str) -> Iterator[Finding]:
    """Ask a function for a tool that nobody serves: it says which it does."""
    here = {tool.name for tool in TOOLS.values() if tool.function == function}
    try:
        target.invoke(function, "memory_doctor", {})
    except Failure as failure:
        if failure.code != "not_found":
            raise
        served = set(failure.details.get("tools", []))
        more = sorted(served - here)
        found = f"also serves {', '.join(more)}" if more else "serves what is known here"
        yield judged(f"function {function}", not more, found, _UPDATE)
