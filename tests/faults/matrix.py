"""Every call of every scenario with every fault: whole, true, and the same after the call is sent again."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any

import boto3
from memtools.adapters.aws import CONFIG
from memtools.adapters.table.layout import from_dynamodb
from memtools.domain.scope import Scope
from memtools.errors import ToolError

from local.template import Template
from tests.calls import Caller
from tests.fakes import FakeClock
from tests.faults.inject import FAULTS, Fault, Killed, Tap
from tests.faults.scenarios import SCENARIOS, Scenario, names_in
from tests.memories import over_adapters

_numbers = itertools.count(1)

# What differs between two runs of the same calls, or is counted by reads. Scores: a trace whose vector could not be
# made scores by its words alone.
_VOLATILE = frozenset(
    "changedAt createdAt updatedAt lastRetrievedAt retrievalCount expiresAt writes call at nextCursor score".split()  # noqa: SIM905
)


# In the order of keys, which hold digests of the scope.
_UNORDERED = frozenset({"items", "claimedBy"})


@dataclass(frozen=True)
class Cell:
    """One fault at one AWS call of one scenario."""

    scenario: Scenario
    number: int
    operation: str
    fault: Fault

    def __str__(self) -> str:
        return f"{self.scenario.name} / call {self.number} {self.operation} / {self.fault.name}"


@dataclass
class Tally:
    """What came of the cells."""

    cells: int = 0
    skipped: int = 0
    met: set[str] = field(default_factory=set)
    problems: dict[str, list[str]] = field(default_factory=lambda: {"lost": [], "partial": [], "untrue": []})

    def __str__(self) -> str:
        counts = ", ".join(f"{kind}: {len(found)}" for kind, found in self.problems.items())
        return f"cells: {self.cells}, {counts}, skipped: {self.skipped}"


# Tools that answer the same however often they are called.
READING = frozenset({"search", "list", "read", "history"})

Clients = tuple[Any, Any]


@cache
def _clients(number: int) -> Clients:
    """A pair of clients for DynamoDB and S3."""
    return boto3.client("dynamodb", config=CONFIG), boto3.client("s3", config=CONFIG)


@cache
def _tapped(number: int) -> tuple[Clients, Tap]:
    clients, tap = _clients(-number), Tap()
    tap.listen(*clients)
    return clients, tap


class Run:
    """One scenario in a scope of its own.

    Its clients are used by a few runs only, since botocore stops retrying on clients that had to retry often. The rival
    and the examiner have others.
    """

    def __init__(self, template: Template, scenario: Scenario) -> None:
        environment = template.environment
        self._names = environment
        self._table, self._bucket = environment["TABLE_NAME"], environment["BUCKET_NAME"]
        self._plain_clients = _clients(0)
        self._dynamodb, self._s3 = self._plain_clients
        number = next(_numbers)
        self.scope = Scope(f"faults-{number}", "ana")
        self._scenario = scenario
        scenario.prepare(self._caller(self._plain_clients))
        self._tapped, self.tap = _tapped(1 + number // 10)
        self.tap.reset(rival=lambda: self._call(self._plain_clients))

    def _caller(self, clients: Clients) -> Caller:
        """A caller in a process just started: nothing is in memory."""
        return Caller(over_adapters(*clients, self._names, FakeClock().now), self.scope)

    def call(self) -> Any:
        """The scenario's call: its reply, the error, or Killed."""
        return self._call(self._tapped)

    def _call(self, clients: Clients) -> Any:
        arguments = self._scenario.arguments(names_in(self.scope))
        try:
            return self._plain(getattr(self._caller(clients), self._scenario.tool)(**arguments))
        except ToolError as error:
            return error
        except Killed as killed:
            return killed

    def state(self) -> Any:
        """All items and all versions of all documents of the scope, read past the adapters."""
        items = self._dynamodb.query(
            TableName=self._table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": self.scope.key}},
            ConsistentRead=True,
        )["Items"]
        versions = self._s3.list_object_versions(Bucket=self._bucket, Prefix=f"agents/{self.scope.agent_path}/")
        documents = [
            (one["Key"], self._s3.get_object(Bucket=self._bucket, Key=one["Key"], VersionId=one["VersionId"]))
            for one in versions.get("Versions", [])
        ]
        texts = [[key, one["Body"].read().decode(), one["Metadata"].get("edit", "")] for key, one in documents]
        return self._plain({"items": [self._item(item) for item in items], "documents": texts})

    def clear(self) -> None:
        """Remove the scope's items: moto gets slow with every one."""
        keys = self._dynamodb.query(
            TableName=self._table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": self.scope.key}},
            ProjectionExpression="pk, sk",
        )["Items"]
        for key in keys:
            self._dynamodb.delete_item(TableName=self._table, Key=key)

    @staticmethod
    def _item(item: Any) -> dict[str, Any]:
        values = from_dynamodb(item)
        return {name: sorted(value) if isinstance(value, set) else value for name, value in values.items()}

    def _plain(self, value: Any) -> Any:
        """``value`` without what differs from run to run: ids by the texts of their birth, no times, no counts."""
        text = json.dumps(value, default=_as_json, sort_keys=True).replace(self.scope.agent, "AGENT")
        for birth, name in names_in(self.scope).items():
            text = text.replace(name, f"<{birth}>")
        return _stripped(json.loads(re.sub(r"(<\w+>)-[0-9a-f]{8}", r"\1-spare", text)))


def _as_json(value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) else repr(value)


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: sorted(_stripped(one), key=json.dumps) if name in _UNORDERED else _stripped(one)
            for name, one in value.items()
            if name not in _VOLATILE and not (name == "version" and isinstance(one, str) and one != "none")
        }
    if isinstance(value, list):
        return [_stripped(one) for one in value]
    return value


@dataclass(frozen=True)
class Clean:
    """A scenario without a fault."""

    before: Any
    after: Any
    reply: Any
    calls: list[str]


def clean_run(template: Template, scenario: Scenario) -> Clean:
    run = Run(template, scenario)
    before = run.state()
    run.tap.calls = []
    reply = run.call()
    calls = list(run.tap.calls)
    assert isinstance(reply, dict), f"{scenario.name}: {reply!r}"
    return Clean(before, run.state(), reply, calls)


def cells_of(clean: Clean, scenario: Scenario) -> Iterator[Cell]:
    for number, operation in enumerate(clean.calls):
        for fault in FAULTS:
            if fault.concerns(operation):
                yield Cell(scenario, number, operation, fault)


def judge(template: Template, cell: Cell, clean: Clean) -> Iterator[tuple[str, str]]:
    """The kinds of problems that the cell shows, each with what was seen."""
    run = Run(template, cell.scenario)
    try:
        yield from _problems(run, cell, clean)
    finally:
        run.clear()


def _problems(run: Run, cell: Cell, clean: Clean) -> Iterator[tuple[str, str]]:
    run.tap.calls, run.tap.fault, run.tap.at = [], cell.fault, cell.number
    answer = run.call()
    happened, run.tap.fault = run.tap.happened, None
    state = run.state()
    if not happened:
        yield "skipped", "the fault did not come to pass"
    elif state not in (clean.before, clean.after):
        yield "partial", json.dumps(state)
    elif isinstance(answer, dict) and state != clean.after:
        yield "lost", json.dumps(answer)
    elif complaint := _untrue(answer, cell, clean):
        yield "untrue", complaint
    again = run.call()
    if run.state() != clean.after:
        yield "lost" if isinstance(again, dict) else "untrue", f"sent again: {again!r}"
    elif isinstance(again, ToolError) and not _is_told_done(again, cell):
        yield "untrue", f"sent again: {again!r}"
    elif cell.scenario.tool in READING and again != clean.reply:
        yield "untrue", f"sent again: {json.dumps(again)}"


def _untrue(answer: Any, cell: Cell, clean: Clean) -> str | None:
    """What is wrong with an answer: only an outage that lasts may be told, or that somebody else did the very same."""
    overtaken = cell.fault.name.startswith("overtaken")
    if isinstance(answer, dict):
        return None if overtaken or answer == clean.reply else json.dumps(answer)
    if isinstance(answer, Killed):
        return None
    shown = json.dumps(answer.as_dict())
    if "secret" in shown or "AWS" in shown:
        return f"shows AWS: {shown}"
    if answer.code == "unavailable" and cell.fault.always and not _is_best_effort(cell):
        return None
    return None if overtaken and _is_told_done(answer, cell) else shown


def _is_best_effort(cell: Cell) -> bool:
    """A search or a list answers without the segment that it could not save."""
    return cell.scenario.tool in READING and cell.operation == "PutObject"


def _is_told_done(error: ToolError, cell: Cell) -> bool:
    """A deletion that took effect is told as such when it is sent again: there is nothing left to delete."""
    return cell.scenario.tool == "delete" and error.code == "not_found"


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
        tally.cells += 1
        tally.met |= {cell.scenario.name, cell.fault.name}
        for kind, seen in judge(template, cell, clean):
            if kind == "skipped":
                tally.skipped += 1
            else:
                tally.problems[kind].append(f"{cell}: {seen}")
    return tally
