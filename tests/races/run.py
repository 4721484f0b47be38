"""Races, one after another, on one store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import boto3
from boto3.dynamodb.conditions import Key
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.races import account
from tests.races.account import Outcome
from tests.races.kinds import RACES
from tests.races.state import Finding, Kind, partial, read, whole
from tests.races.workers import Crew, Told, crew, memory_at


@dataclass(slots=True)
class Report:
    """How many races were run, what was wrong in which, and how many calls were told that a store was out."""

    races: int = 0
    unavailable: int = 0
    findings: list[tuple[str, Finding]] = field(default_factory=list)

    @property
    def line(self) -> str:
        """The outcome in one line."""
        counts = (f"{kind}: {sum(one.kind is kind for _, one in self.findings)}" for kind in Kind)
        return f"races: {self.races}, {', '.join(counts)}"


def run(names: Mapping[str, str], rounds: int, kinds: Sequence[str] = tuple(RACES)) -> Report:
    """Each kind of race as often as there are rounds, in the stores named."""
    report = Report()
    names = {
        str(name): str(value) for name, value in names.items()
    }  # a template's strings cannot go to other processes
    with crew(names) as workers:
        for number in range(rounds):
            for kind in kinds:
                told, findings = race(names, workers, kind, number)
                report.races += 1
                report.unavailable += sum(one.code == "unavailable" for one in told)
                report.findings += [(f"{kind}, round {number}", one) for one in findings]
    return report


def race(names: Mapping[str, str], workers: Crew, kind: str, number: int) -> tuple[list[Told], list[Finding]]:
    """One race: what the calls were told, and what is wrong. The number decides on its setting.

    All but the first lose the answers of some writes.
    """
    scope = Scope(f"race-{uuid4().hex}", "ana")
    caller = Caller(memory_at(names), scope)
    course = RACES[kind](caller, number)
    start = read(caller.memory, scope)
    told = workers.run(scope, course.lanes, losing=number > 0)
    findings: list[Finding] = []
    try:
        afterwards = Caller(memory_at(names), scope)
        outcome = Outcome(start, read(afterwards.memory, scope), told)
        findings += whole(outcome.start, outcome.end)
        for judge in (*_judges(outcome), course.judge):
            findings += judge(outcome)
        findings += account.shown(afterwards, outcome.end)
    except Exception as error:
        findings.append(partial(f"what is there cannot be read: {error!r}"))
    _sweep(names, scope)
    return told, findings


def _judges(outcome: Outcome) -> Sequence[account.Judge]:
    return (account.document,) if outcome.of("edit") else (account.traces, account.duplicates)


def _sweep(names: Mapping[str, str], scope: Scope) -> None:
    """Remove the scope's traces: moto copies the whole table for each transaction, so a full one makes it slow."""
    if "STORE_ADDRESS" in names:
        return
    table = boto3.resource("dynamodb").Table(names["TABLE_NAME"])
    query = {"KeyConditionExpression": Key("pk").eq(scope.key), "ProjectionExpression": "pk, sk"}
    pages = table.meta.client.get_paginator("query").paginate(TableName=table.name, **query)
    with table.batch_writer() as batch:
        for page in pages:
            for item in page["Items"]:
                batch.delete_item(Key={"pk": item["pk"], "sk": item["sk"]})
