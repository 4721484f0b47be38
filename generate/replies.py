"""What each tool answers in each envelope: real replies, over a memory in this process, at a fixed time."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from memtools.backend import Backend
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.errors import Fault, ToolError, Unavailable
from memtools.handler import encoded, recognise
from memtools.tools.tool import Reply
from memtools.wire.incoming import Call

from local.template import ROOT
from tests.calls import Caller
from tests.fakes import FakeClock
from tests.functions.wrapping import ENVELOPES
from tests.memories import over_fakes

PAGE: Final = ROOT / "docs" / "envelopes.md"
ALL: Final = ROOT / "docs" / "replies.md"
GOLDEN: Final = ROOT / "tests" / "data" / "replies.json"
START: Final = "<!-- replies -->"
END: Final = "<!-- /replies -->"
MAYA: Final = Scope("K7EXAMPLE1", "maya")
Replies = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class _Failing:
    """A store that fails, whatever it is asked."""

    error: ToolError

    def __getattr__(self, name: str) -> Any:
        raise self.error


Names = dict[str, str]
Ask = Callable[[Names], dict[str, Any]]


def _remembering() -> tuple[Backend, Names]:
    """A memory with facts of all kinds, by their ids, and a document."""
    memory = over_fakes(FakeClock())
    ana = Caller(memory, MAYA)
    fact, other = ana.remember("Zoë takes oat milk in her coffee, no sugar", "Zoë drinks coffee", tags=["food"])
    deleted, first, second, third, fourth = ana.remember("Zoë ran", "Zoë sews", "Zoë knits", "Zoë swims", "Zoë dives")
    ana.delete(traceId=deleted)
    ana.merge(traceIds=[first, second], mergedContent="Zoë sews and knits")
    ana.merge(traceIds=[third, fourth], mergedContent="Zoë swims and dives")
    ana.update(traceId=third, tags=["sport"])
    ana.edit(action="add", text="Zoë likes tea")
    ana.edit(action="add", text="Zoë likes walks")
    return memory, {"fact": fact, "other": other, "deleted": deleted, "survivor": first, "changed": third}


_UNKNOWN = "mt_00000000000000000000000000000000"
_LONG = "a" * 70_000

# What each tool is asked to be answered so. Every tool can be asked nonsense, by nobody, and while the store is out.
CASES: Final[dict[str, dict[str, Ask]]] = {
    "memory_search": {"success": lambda _: {"query": "oat milk", "limit": 3}},
    "memory_list": {"success": lambda _: {"limit": 1}},
    "memory_read": {"success": lambda _: {"target": "self"}},
    "memory_history": {
        "success": lambda names: {"traceId": names["deleted"]},
        "not_found": lambda _: {"traceId": _UNKNOWN},
    },
    "memory_duplicates": {"success": lambda _: {"threshold": 0.3}},
    "memory_add": {
        "success": lambda _: {"facts": ["Zoë drinks coffee", "Zoë has a cat"]},
        "too_large": lambda _: {"facts": [_LONG]},
    },
    "memory_edit": {
        "success": lambda _: {"action": "add", "text": "Zoë has a cat"},
        "not_found": lambda _: {"action": "remove", "text": "Zoë has a dog"},
        "ambiguous": lambda _: {"action": "replace", "text": "Zoë likes", "with": "Zoë loves"},
        "conflict": lambda _: {"action": "add", "text": "Zoë has a cat", "version": "1"},
        "too_large": lambda _: {"action": "add", "text": _LONG},
    },
    "memory_update": {
        "success": lambda names: {"traceId": names["fact"], "content": "Zoë takes soy milk"},
        "not_found": lambda names: {"traceId": names["deleted"], "content": "Zoë takes soy milk"},
        "conflict": lambda names: {"traceId": names["fact"], "content": "Zoë takes soy milk", "version": 7},
        "too_large": lambda names: {"traceId": names["fact"], "content": _LONG},
    },
    "memory_delete": {
        "success": lambda names: {"traceId": names["fact"]},
        "not_found": lambda _: {"traceId": _UNKNOWN},
        "conflict": lambda names: {"traceId": names["fact"], "version": 7},
    },
    "memory_restore": {
        "success": lambda names: {"traceId": names["deleted"]},
        "not_found": lambda names: {"traceId": names["deleted"], "version": 9},
    },
    "memory_merge": {
        "success": lambda names: {"traceIds": [names["fact"], names["other"]], "mergedContent": "Zoë drinks coffee"},
        "not_found": lambda names: {"traceIds": [names["fact"], _UNKNOWN]},
        "too_large": lambda names: {"traceIds": [names["fact"], names["other"]], "mergedContent": _LONG},
    },
    "memory_unmerge": {
        "success": lambda names: {"survivorId": names["survivor"]},
        "not_found": lambda names: {"survivorId": names["fact"]},
        "conflict": lambda names: {"survivorId": names["changed"]},
    },
}
_FAILURES: Final[dict[str, ToolError]] = {
    "fault": Fault("The memory store refused the call, and will refuse it again. Continue without the memory."),
    "unavailable": Unavailable("The memory did not answer in time. Try once more, then go on without it."),
}
_ALWAYS: Final = ("invalid_arguments", "unscoped", *_FAILURES)


class _Nobody:
    """A scope that names no user, as no Scope can."""

    agent = MAYA.agent
    user = ""


def _run(decode: Callable[[], Call], memory: Backend) -> Reply | ToolError:
    """As the handler does; importing that one makes a logger, which takes its name from the environment."""
    try:
        call = decode()
        return TOOLS[call.tool].call(memory, call.scope, call.arguments, call.key)
    except ToolError as error:
        return error


def outcomes(tool: str) -> list[str]:
    """How a tool can be answered, in the order of the vocabulary."""
    return [outcome for outcome in SHOWN if outcome in CASES[tool] or outcome in _ALWAYS]


def reply(envelope: str, tool: str, outcome: str) -> Any:
    """What the function answers in the envelope."""
    memory, names = _remembering()
    if outcome in _FAILURES:
        failing: Any = _Failing(_FAILURES[outcome])
        memory = replace(memory, traces=failing, personas=failing)
    ask = CASES[tool].get(outcome, CASES[tool]["success"])
    arguments = {"colour": "red"} if outcome == "invalid_arguments" else ask(names)
    scope: Any = _Nobody if outcome == "unscoped" else MAYA
    event, context = ENVELOPES[envelope].wrap(tool, arguments, scope)
    transport = recognise(event, context)
    assert transport
    answer = _run(lambda: transport.decode(event, MAYA.agent, context), memory)
    return encoded(transport, event, answer)


def replies() -> Replies:
    """Every reply, by envelope, tool and outcome."""
    return {
        envelope: {tool: {outcome: reply(envelope, tool, outcome) for outcome in outcomes(tool)} for tool in CASES}
        for envelope in ENVELOPES
    }


def _mark(reply: Any) -> str:
    """How a caller tells the outcome without reading the text."""
    if "statusCode" in reply:
        return f"status {reply['statusCode']}"
    if "ok" in reply:
        return f"`ok: {json.dumps(reply['ok'])}`"
    if "response" not in reply:
        return "`isError: true`" if "isError" in reply else "the plain result"
    response = reply["response"]
    state = response.get("functionResponse", response).get("responseState")
    status = [f"status {response['httpStatusCode']}"] if "httpStatusCode" in response else []
    return ", ".join([*status, *([f"`{state}`"] if state else [])]) or "no state"


# The tool that shows an outcome best.
SHOWN: Final = {
    "success": "memory_search",
    "invalid_arguments": "memory_search",
    "unscoped": "memory_search",
    "not_found": "memory_delete",
    "ambiguous": "memory_edit",
    "conflict": "memory_update",
    "too_large": "memory_add",
    "fault": "memory_search",
    "unavailable": "memory_search",
}


def tables(made: Replies) -> str:
    """The marks of all outcomes in a table, then one reply of each kind."""
    lines = [f"| outcome | {' | '.join(made)} |", f"|---|{'---|' * len(made)}"]
    for outcome, tool in SHOWN.items():
        lines.append(f"| `{outcome}` | {' | '.join(_mark(made[one][tool][outcome]) for one in made)} |")
    for envelope, answers in made.items():
        lines += ["", f"### {envelope}"]
        for outcome, tool in SHOWN.items():
            shown = json.dumps(answers[tool][outcome], ensure_ascii=False, indent=2)
            lines += ["", f"`{outcome}`, of {tool}:", "", "```json", shown, "```"]
    return "\n".join(lines)


def all_replies(made: Replies) -> str:
    """The page with every reply of every tool in every envelope."""
    lines = [
        "# Every reply",
        "",
        "What each tool returns in each envelope: its reply and each of its errors, verbatim. Made by",
        "`make generate`, over a memory of a few facts; what the codes mean is in",
        "the [README](../README.md#errors), how an envelope carries them in [envelopes.md](envelopes.md).",
    ]
    for envelope, tools in made.items():
        lines += ["", f"## {envelope}", "", "| tool | outcome | reply |", "|---|---|---|"]
        for tool, answers in tools.items():
            for outcome, answer in answers.items():
                shown = json.dumps(answer, ensure_ascii=False).replace("|", "\\|")
                lines.append(f"| `{tool}` | `{outcome}` | `` {shown} `` |")
    return "\n".join(lines) + "\n"


def files() -> dict[Path, str]:
    """The pages and the golden file with the replies of today."""
    made = replies()
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    return {
        PAGE: f"{before}{START}\n{tables(made)}\n{END}{rest.partition(END)[2]}",
        ALL: all_replies(made),
        GOLDEN: json.dumps(made, ensure_ascii=False, indent=1) + "\n",
    }
