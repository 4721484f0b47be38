"""Every call of every scenario with every fault: whole, true, and the same after the call is sent again."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from botocore.exceptions import ClientError
from memtools.errors import ToolError

from local.template import Template
from tests.faults.faults import FAULTS
from tests.faults.inject import Fault, Killed
from tests.faults.run import Clean, Run, clean_run
from tests.faults.scenarios import SCENARIOS, Scenario

# Tools that answer the same however often they are called.
READING = frozenset({"search", "list", "read", "history"})


@dataclass(frozen=True)
class Cell:
    """One fault at one AWS call of one scenario."""

    scenario: Scenario
    number: int
    operation: str
    fault: Fault

    @property
    def is_best_effort(self) -> bool:
        """Whether the tool answers all the same if this call fails: a segment that is not saved, an uncounted hit."""
        if self.operation == "PutObject":
            return self.scenario.tool in READING
        return (self.scenario.tool, self.operation) == ("search", "UpdateItem")

    def __str__(self) -> str:
        return f"{self.scenario.name} / call {self.number} {self.operation} / {self.fault.name}"


@dataclass
class Tally:
    """What came of the cells."""

    cells: int = 0
    skipped: int = 0
    met: set[str] = field(default_factory=set)
    problems: dict[str, list[str]] = field(default_factory=lambda: {"lost": [], "partial": [], "untrue": []})

    @property
    def passed(self) -> bool:
        """Whether the code does what it should."""
        return not (self.skipped or any(self.problems.values()))

    def add(self, cell: Cell, problems: Sequence[tuple[str, str]]) -> None:
        """Count a cell and its problems."""
        self.cells += 1
        self.met |= {cell.scenario.name, cell.fault.name}
        for kind, seen in problems:
            if kind == "skipped":
                self.skipped += 1
            else:
                self.problems[kind].append(f"{cell}: {seen}")

    def __str__(self) -> str:
        counts = ", ".join(f"{kind}: {len(found)}" for kind, found in self.problems.items())
        return f"cells: {self.cells}, {counts}, skipped: {self.skipped}"


def cells_of(clean: Clean, scenario: Scenario) -> Iterator[Cell]:
    for number, operation in enumerate(clean.calls):
        for fault in FAULTS:
            if fault.concerns(operation):
                yield Cell(scenario, number, operation, fault)


def judge(template: Template, cell: Cell, clean: Clean) -> list[tuple[str, str]]:
    """The kinds of problems that the cell shows, each with what was seen."""
    run = Run(template, cell.scenario)
    try:
        return list(_problems(run, cell, clean))
    finally:
        run.clear()


def _problems(run: Run, cell: Cell, clean: Clean) -> Iterator[tuple[str, str]]:
    # Where a call may fail, the calls after it still have to work.
    only = frozenset({cell.operation}) if cell.is_best_effort else cell.fault.operations
    run.tap.calls, run.tap.fault, run.tap.at = [], replace(cell.fault, operations=only), cell.number
    answer = run.call()
    happened, run.tap.fault = run.tap.happened, None
    state = run.state()
    if not happened:
        yield "skipped", "the fault did not come to pass"
    elif state not in (clean.before, clean.after):
        yield "partial", json.dumps(state)
    elif isinstance(answer, dict) and state != clean.after:
        yield "lost", json.dumps(answer)
    elif _shows_aws(answer):
        yield "untrue", f"shows AWS: {answer!r}"
    elif complaint := _untrue(answer, cell, clean) or _too_often(happened, cell, clean):
        yield "untrue", complaint
    again = run.call()
    if run.state() != clean.after:
        yield "lost" if isinstance(again, dict) else "untrue", f"sent again: {again!r}"
    elif not isinstance(again, dict):
        yield "untrue", f"sent again: {again!r}"
    elif cell.scenario.tool in READING and again != clean.reply:
        yield "untrue", f"sent again: {json.dumps(again)}"


def _untrue(answer: Any, cell: Cell, clean: Clean) -> str | None:
    """What is wrong with an answer: only an outage that lasts may be told, or that somebody else did the very same."""
    if isinstance(answer, dict):
        overtaken = cell.fault.name.startswith("overtaken")
        return None if overtaken or answer == clean.reply else json.dumps(answer)
    if isinstance(answer, Killed):
        return None
    allowed = (cell.fault.told or {"unavailable"}) if cell.fault.always and not cell.is_best_effort else ()
    return None if _code(answer) in allowed else repr(answer)


def _shows_aws(answer: Any) -> bool:
    shown = json.dumps(answer.as_dict()) if isinstance(answer, ToolError) else ""
    return "secret" in shown or "AWS" in shown


def _code(failure: Any) -> str:
    """What a failed call tells: its error's code, ``fault`` for what the handler logs as one, or a bug."""
    if isinstance(failure, ToolError):
        return failure.code
    deliberate = isinstance(failure, ClientError) or type(failure).__module__.startswith("memtools.")
    return "fault" if deliberate else "bug"


def _too_often(happened: int, cell: Cell, clean: Clean) -> str | None:
    """What no second try gets over is tried once."""
    calls = sum(cell.fault.concerns(operation) for operation in clean.calls[cell.number :])
    return f"tried {happened} times, not {calls}" if cell.fault.told and happened > calls else None


def _part(cells: Sequence[tuple[Cell, Clean]], every: int) -> Iterator[tuple[Cell, Clean]]:
    """Of each fault's cells one of ``every`` so many, at other calls for each fault; each scenario and fault once."""
    seen: Counter[str] = Counter()
    shifts = {fault.name: 2 * number for number, fault in enumerate(FAULTS)}
    for cell, clean in cells:
        names = (cell.scenario.name, cell.fault.name)
        if not all(seen[name] for name in names) or (seen[names[1]] + shifts[names[1]]) % every == 0:
            yield cell, clean
        seen.update(names)


def run_matrix(template: Template, every: int = 1, tools: Sequence[str] = ()) -> Tally:
    """Judge each cell, or a part of them; of these tools' scenarios, if any are named."""
    tally = Tally()
    cells = []
    for scenario in SCENARIOS:
        if tools and scenario.tool not in tools:
            continue
        clean = clean_run(template, scenario)
        cells += [(cell, clean) for cell in cells_of(clean, scenario)]
    for cell, clean in _part(cells, every):
        tally.add(cell, judge(template, cell, clean))
    return tally
