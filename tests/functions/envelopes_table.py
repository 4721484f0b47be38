"""What each envelope answers: real replies of the tools over a memory in this process, at a fixed time.

    python -m tests.functions.envelopes_table [--write]

Prints the tables; with --write they also take their place in docs/envelopes.md, and the replies in tests/data.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.errors import ToolError, Unavailable
from memtools.retrieval.segments import RecentSegments
from memtools.tools import USE_CASES
from memtools.tools.memory import Memory
from memtools.transports import Call, Outcome, recognise

from local.template import ROOT
from tests.fakes import FakeClock, FakeEmbedder, FakePersonas, FakeTraces
from tests.functions.wrapping import ENVELOPES

PAGE: Final = ROOT / "docs" / "envelopes.md"
GOLDEN: Final = ROOT / "tests" / "data" / "replies.json"
START: Final = "<!-- replies -->"
END: Final = "<!-- /replies -->"
MAYA: Final = Scope("K7EXAMPLE1", "maya")
RETENTION = timedelta(days=30)
Replies = dict[str, dict[str, Any]]


class _NoAnswer(FakeTraces):
    """A store that does not answer."""

    def changes(self, *_: Any) -> Any:
        raise Unavailable("The memory did not answer in time. Try once more, then go on without it.")


def _memory(traces: FakeTraces) -> Memory:
    clock = FakeClock()
    return Memory(
        traces=traces,
        personas=FakePersonas(clock),
        segments=RecentSegments(),
        clock=clock,
        embedder=FakeEmbedder(),
        retention=RETENTION,
    )


def _use(memory: Memory, tool: str, **arguments: Any) -> dict[str, Any]:
    return USE_CASES[tool](memory, MAYA, TOOLS[tool].parse(arguments)).as_dict()


def _remembering() -> tuple[Memory, str]:
    """A memory with a fact, by its id, and a document."""
    memory = _memory(FakeTraces(RETENTION))
    saved = _use(memory, "memory_add", facts=["Zoë takes oat milk in her coffee, no sugar"], tags=["food"])["saved"]
    _use(memory, "memory_edit", action="add", text="Zoë likes tea")
    _use(memory, "memory_edit", action="add", text="Zoë likes walks")
    return memory, saved[0]["id"]


# What is answered, the tool that does, and what it is asked with the id of a memory.
OUTCOMES: Final[dict[str, tuple[str, Callable[[str], dict[str, Any]]]]] = {
    "success": ("memory_search", lambda _: {"query": "oat milk", "limit": 3}),
    "invalid_arguments": ("memory_search", lambda _: {"limit": 500}),
    "unscoped": ("memory_search", lambda _: {"query": "oat milk"}),
    "not_found": ("memory_delete", lambda _: {"traceId": "mt_00000000000000000000000000000000"}),
    "ambiguous": ("memory_edit", lambda _: {"action": "replace", "text": "Zoë likes", "with": "Zoë loves"}),
    "conflict": ("memory_update", lambda name: {"traceId": name, "content": "Soy milk", "version": 7}),
    "too_large": ("memory_add", lambda _: {"facts": ["a" * 70_000]}),
    "unavailable": ("memory_search", lambda _: {"query": "oat milk"}),
}


class _Nobody:
    """A scope that names no user, as no Scope can."""

    agent = MAYA.agent
    user = ""


def _run(decode: Callable[[], Call], memory: Memory) -> Outcome:
    """As the handler does; importing that one makes a logger, which takes its name from the environment."""
    try:
        call = decode()
        return USE_CASES[call.tool](memory, call.scope, TOOLS[call.tool].parse(call.arguments)).as_dict()
    except ToolError as error:
        return error


def reply(envelope: str, outcome: str) -> Any:
    """What the function answers in the envelope."""
    tool, ask = OUTCOMES[outcome]
    memory, name = _remembering()
    if outcome == "unavailable":
        memory = _memory(_NoAnswer(RETENTION))
    scope: Any = _Nobody if outcome == "unscoped" else MAYA
    event, context = ENVELOPES[envelope].wrap(tool, ask(name), scope)
    transport = recognise(event, context)
    assert transport
    return transport.encode(event, _run(lambda: transport.decode(event, MAYA.agent, context), memory))


def replies() -> Replies:
    """Every reply, by envelope and outcome."""
    return {envelope: {outcome: reply(envelope, outcome) for outcome in OUTCOMES} for envelope in ENVELOPES}


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


def tables(made: Replies) -> str:
    """The marks of all outcomes in a table, then every reply."""
    lines = [f"| outcome | {' | '.join(made)} |", f"|---|{'---|' * len(made)}"]
    lines += [f"| `{outcome}` | {' | '.join(_mark(made[one][outcome]) for one in made)} |" for outcome in OUTCOMES]
    for envelope, answers in made.items():
        lines += ["", f"### {envelope}"]
        for outcome, answer in answers.items():
            shown = json.dumps(answer, ensure_ascii=False, indent=2)
            lines += ["", f"`{outcome}`, of {OUTCOMES[outcome][0]}:", "", "```json", shown, "```"]
    return "\n".join(lines)


def current(page: str) -> str:
    """What the page has between the marks."""
    return page.partition(START)[2].partition(END)[0].strip()


def golden(made: Replies) -> str:
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.functions.envelopes_table", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew docs/envelopes.md and tests/data/replies.json")
    made = replies()
    if not parser.parse_args(arguments).write:
        print(tables(made))
        return
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(START)
    PAGE.write_text(f"{before}{START}\n{tables(made)}\n{END}{rest.partition(END)[2]}", "utf-8")
    GOLDEN.write_text(golden(made), "utf-8")


if __name__ == "__main__":
    main()
