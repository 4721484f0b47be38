"""A scenario in a scope of its own: its call, under a fault or not, and the state that it leaves."""

import itertools
import json
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

import boto3
from memtools.adapters.aws import CONFIG, from_dynamodb
from memtools.domain.scope import Scope

from local.template import Template
from tests.calls import Caller
from tests.fakes import FakeClock
from tests.faults.inject import Killed, Tap
from tests.faults.scenarios import Scenario, names_in
from tests.memories import over_adapters

_numbers = itertools.count(1)

# What differs between two runs of the same calls, or is counted by reads. Scores: a trace whose vector could not be
# made scores by its words alone.
_VOLATILE = frozenset(
    "changedAt createdAt updatedAt lastRetrievedAt retrievalCount expiresAt writes call at nextCursor score".split()  # noqa: SIM905
)


# In the order of keys, which hold digests of the scope.
_UNORDERED = frozenset({"items", "claimedBy"})


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
        """The scenario's call: its reply, or what it raised."""
        return self._call(self._tapped)

    def _call(self, clients: Clients) -> Any:
        arguments = self._scenario.arguments(names_in(self.scope))
        try:
            caller = replace(self._caller(clients), key=self._scenario.key)
            return self._plain(getattr(caller, self._scenario.tool)(**arguments))
        except (Killed, Exception) as failure:
            return failure

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
        return plain(value, self.scope)


def plain(value: Any, scope: Scope) -> Any:
    """``value`` without what differs from run to run: ids by the texts of their birth, no times, no counts."""
    text = json.dumps(value, default=_as_json, sort_keys=True).replace(scope.agent, "AGENT")
    for birth, name in names_in(scope).items():
        text = text.replace(name, f"<{birth}>")
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "VERSION", text)  # names of versions of documents
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
