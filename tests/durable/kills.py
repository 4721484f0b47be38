"""Kills processes in the middle of their writes, and holds what they were told against what is there."""

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from memtools.adapters.sqlite.file import MemoryFile
from memtools.domain.scope import Scope

from local.template import ROOT
from tests.calls import Caller
from tests.durable.writer import USER
from tests.memories import over_file
from tests.races import account
from tests.races.account import Outcome
from tests.races.state import Finding, Kind, State, partial, read, whole
from tests.races.workers import Call, Told

# Eight writers in three processes.
THREADS: Final = (3, 3, 2)
# A memory is looked at after so many kills: what was told is held against all of it.
_KILLS_OF_A_MEMORY: Final = 10
# One kill in so many is of all processes at once, so that the next one finds the file as they left it.
_ALL_IN: Final = 4
_SECONDS: Final = 60.0


@dataclass(slots=True)
class Report:
    """What came of the kills."""

    kills: int = 0
    told: int = 0
    unknown: int = 0
    findings: list[Finding] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.findings or self.damage)

    def __str__(self) -> str:
        counts = ", ".join(f"{kind}: {sum(one.kind is kind for one in self.findings)}" for kind in Kind)
        whole_file = "; ".join(self.damage) or "ok"
        return f"kills: {self.kills}, told: {self.told}, never told: {self.unknown}, {counts}, integrity: {whole_file}"


class Process:
    """A writing process, and all that it has said."""

    def __init__(self, file: Path, agent: str, name: str, threads: int, settings: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "tests.durable.writer", str(file), agent, name, str(threads)]
        self._process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE)
        self.writes = threading.Event()
        self.lines: list[Any] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.endswith(b"\n"):
                self.lines.append(json.loads(line))
                self.writes.set()
        self.writes.set()

    def kill(self) -> None:
        """End it, wherever it is."""
        self._process.kill()
        self._process.wait()
        self._reader.join(_SECONDS)
        assert self._process.stdout
        self._process.stdout.close()


def run(file: Path, kills: int, seed: int, settings: Mapping[str, str] = {}) -> Report:
    """Kill processes so many times; what is wrong afterwards."""
    report, chance = Report(), random.Random(seed)
    while report.kills < kills:
        agent = f"after {report.kills} kills"
        here = min(_KILLS_OF_A_MEMORY, kills - report.kills)
        lines = _written(file, agent, here, chance, settings)
        report.kills += here
        told = [*_told(lines)]
        report.told += sum(one.reply is not None for one in told)
        report.unknown += sum(one.code == "unavailable" for one in told)
        report.findings += _findings(file, Scope(agent, USER), told)
    report.damage = MemoryFile(file).problems()
    return report


def _written(file: Path, agent: str, kills: int, chance: random.Random, settings: Mapping[str, str]) -> list[Any]:
    """Let processes write, and kill them so many times; all that they said."""
    said: list[Any] = []

    def started(place: int, number: int) -> Process:
        return Process(file, agent, f"{number}-{place}", THREADS[place], settings)

    processes = [started(place, 0) for place in range(len(THREADS))]
    for number in range(1, kills + 1):
        everyone = number % _ALL_IN == 0
        victims = range(len(THREADS)) if everyone else [chance.randrange(len(THREADS))]
        for place in victims:
            processes[place].writes.wait(_SECONDS)
        threading.Event().wait(chance.uniform(0, 0.3))
        for place in victims:
            processes[place].kill()
            said += processes[place].lines
        for place in victims:
            processes[place] = started(place, number)
    for process in processes:
        process.kill()
        said += process.lines
    return said


def _told(lines: list[Any]) -> Iterator[Told]:
    """What each call was told; whoever was killed first was told nothing."""
    answers = {line["number"]: line for line in lines if "tool" not in line}
    for line in lines:
        if "tool" in line:
            call = Call(line["tool"], line["arguments"], line["mark"])
            answer = answers.get(line["number"], {"reply": None, "code": "unavailable", "details": {}})
            yield Told(call, answer["reply"], answer["code"], answer["details"])


def _findings(file: Path, scope: Scope, told: list[Told]) -> Iterator[Finding]:
    memory = over_file(file, lambda: datetime.now(UTC))
    start, end = State({}, []), read(memory, scope)
    edits = [one for one in told if one.call.tool == "edit"]
    others = [one for one in told if one.call.tool != "edit"]
    yield from whole(start, end)
    yield from account.traces(Outcome(start, end, others))
    yield from account.document(Outcome(start, end, edits))
    yield from account.shown(Caller(memory, scope), end)
    yield from (partial(f"refused, though nothing was against it: {one}") for one in told if one.refused)
