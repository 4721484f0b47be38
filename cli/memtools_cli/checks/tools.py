"""Whether the tools answer, and take the arguments that this version knows."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from memtools_client import MemoryClient
from memtools_client.functions import FUNCTIONS as FUNCTION_OF_TOOL
from memtools_client.specs import specs

from memtools_cli.checks.finding import Finding, checked, finding
from memtools_cli.connection import call
from memtools_cli.failures import Failure

_UNKNOWN: Final = "noSuchArgument"
_UPDATE: Final = "Use the version of the command line that the stack was deployed from, or deploy again."
# Calls that reach each kind of store, and write nothing.
_DRY_CALLS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "search traces": ("memory_list", {"limit": 1}),
    "read documents": ("memory_read", {"target": "self"}),
    "add": ("memory_add", {"facts": []}),
}


def findings(client: MemoryClient) -> Iterator[Finding]:
    """Whether the tools can be reached and reach their stores; if so, whether each is the one known here."""
    reached = list(checked("tools", partial(_answers, client)))
    yield from reached
    if any(one.state == "problem" for one in reached):
        return
    for spec in specs():
        known = set(spec["input_schema"]["properties"])
        yield from checked(spec["name"], partial(_arguments, client, spec["name"], known))


def _answers(client: MemoryClient) -> Iterator[Finding]:
    for what, (tool, arguments) in _DRY_CALLS.items():
        call(client, tool, arguments)
        yield Finding(f"tools: {what}", "ok", f"{tool} answers")


def _arguments(client: MemoryClient, tool: str, known: set[str]) -> Iterator[Finding]:
    """Pass an unknown argument: the tool refuses it and names those that it takes."""
    taken = None
    try:
        call(client, tool, {_UNKNOWN: True})
    except Failure as failure:
        if failure.code not in ("invalid_arguments", "not_found"):
            raise
        taken = _names(failure)
    if taken is None:
        yield Finding(tool, "problem", "is not there, or does not say what it takes", _UPDATE)
        return
    lacking, more = sorted(known - taken), sorted(taken - known)
    differences = [f"does not take {', '.join(lacking)}"] if lacking else []
    differences += [f"also takes {', '.join(more)}"] if more else []
    yield finding(tool, not differences, "; ".join(differences) or "takes what is known here", _UPDATE)


def _names(failure: Failure) -> set[str] | None:
    problems = failure.details.get("arguments")
    for one in problems if isinstance(problems, list) else []:
        if one.get("argument") == _UNKNOWN and isinstance(one.get("takes"), list):
            return set(one["takes"])
    return None


def function_findings(
    functions: Mapping[str, str], connect: Callable[[Mapping[str, str]], MemoryClient]
) -> Iterator[Finding]:
    """For each function whether it serves tools that are unknown here."""
    for function in functions:
        yield from checked(f"function {function}", partial(_more_tools, functions, function, connect))


def _more_tools(
    functions: Mapping[str, str], function: str, connect: Callable[[Mapping[str, str]], MemoryClient]
) -> Iterator[Finding]:
    """Call a tool of another function: this one answers with the names of its own."""
    tool, other = next(pair for pair in FUNCTION_OF_TOOL.items() if pair[1] != function)
    try:
        call(connect({other: functions[function]}), tool, {})
    except Failure as failure:
        if failure.code != "not_found":
            raise
        known = {name for name, server in FUNCTION_OF_TOOL.items() if server == function}
        more = sorted(set(failure.details.get("tools", [])) - known)
        found = f"also serves {', '.join(more)}" if more else "serves what is known here"
        yield finding(f"function {function}", not more, found, _UPDATE)
