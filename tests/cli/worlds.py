"""What the tests of the command line start from: a mixed memory in a scope, the command run in this process."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from memtools.domain.scope import Scope
from memtools_cli.app import main

from tests.calls import Caller


@dataclass(frozen=True)
class Ended:
    """A command that has run: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def reply(self) -> Any:
        """What it printed for programs."""
        return json.loads(self.out)


Run = Callable[..., Ended]


def runner(capsys: pytest.CaptureFixture[str], *always: str) -> Run:
    """Runs the command line with ``always`` behind whatever is given."""

    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        code = main([*map(str, arguments), *always])
        captured = capsys.readouterr()
        return Ended(int(code), captured.out, captured.err)

    return run


def live_a_life(who: Caller, facts: int = 60, *, quiet: int = 0) -> None:
    """Everything that can become of traces and documents: edited, merged, unmerged, deleted, restored, moved texts.

    ``quiet`` facts more are added and left alone.
    """
    said = [f"Fact {number} of {who.scope.user}" for number in range(facts + quiet)]
    ids: list[str] = []
    for start in range(0, len(said), 90):
        ids += [one["id"] for one in who.add(facts=said[start : start + 90], tags=["start"])["saved"]]
    for number in range(0, facts, 6):
        one, two, three, four, five, six = ids[number : number + 6]
        who.update(traceId=one, content=f"Fact {number}, corrected 日本 \u2028 é", tags=["new", "ü"])
        who.merge(traceIds=[two, three])
        who.delete(traceId=four, reason="wrong")
        if number % 12 == 0:
            who.delete(traceId=five)
            who.restore(traceId=five)
            who.merge(traceIds=[six, five], mergedContent=f"Five and six of {number}")
            who.unmerge(survivorId=six)
        if number % 18 == 0:
            who.add(facts=[said[number]], expiresAt="2090-01-01")  # its key is another's now
            who.update(traceId=one, content=said[number + 1])
    who.search(query="Fact corrected")
    who.edit(action="add", text="Keep it short")
    who.edit(action="add", text="Répondez en français 日本")
    who.edit(action="replace", text="short", with_="very short")
    who.edit(action="undo")
    who.edit(action="add", target="user", text="Speaks Portuguese")


def client(service: str) -> Any:
    """The client that all tests share: making one takes longer than what most tests do with it."""
    return _client(service, os.environ["AWS_ENDPOINT_URL"])


@cache
def _client(service: str, address: str) -> Any:
    return boto3.client(service, endpoint_url=address)  # type: ignore[call-overload]


def lines(file: Path) -> list[dict[str, Any]]:
    """The lines of an export."""
    return [json.loads(line) for line in file.read_text("utf-8").split("\n")[:-1]]


def whose(scope: Scope) -> tuple[str, ...]:
    """The options that name a scope."""
    return "--agent", scope.agent, "--user", scope.user
