"""``python -m tests.durable.writer FILE AGENT NAME THREADS``: a process whose threads call tools until it is killed.

On standard output it says each call before it is made, and what it was told: a line of JSON each, whole or not at all.
"""

import itertools
import json
import os
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from memtools.adapters.sqlite.traces import SqliteTraces
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.memories import over_file
from tests.races.workers import Call, make

USER: Final = "ana"
_OUT: Final = 1


def say(**values: Any) -> None:
    """Say something, in one write, so that a kill does not cut it off and threads do not mix."""
    os.write(_OUT, json.dumps(values, default=str).encode() + b"\n")


def damage() -> None:
    """Answer before a write is made, so that a test can see that a lost one is noticed."""
    commit = SqliteTraces.commit

    def early(*arguments: Any, **named: Any) -> None:
        threading.Timer(0.2, commit, arguments, named).start()

    SqliteTraces.commit = early  # type: ignore[method-assign]


class Writer:
    """One thread. It changes only what it added itself, so that nothing is refused; all write to one document."""

    def __init__(self, caller: Caller, name: str) -> None:
        self._caller = caller
        self._name = name
        self._numbers = itertools.count()

    def run(self) -> None:
        """Call tools for ever."""
        while True:
            self._round()

    def _call(self, tool: str, mark: str, **arguments: Any) -> Any:
        number = f"{self._name}-{next(self._numbers)}"
        say(number=number, tool=tool, mark=mark, arguments=arguments)
        told = make(self._caller, Call(tool, arguments, mark))
        say(number=number, reply=told.reply, code=told.code, details=dict(told.details))
        return told.reply or {}

    def _round(self) -> None:
        mark = f"<{self._name}-{next(self._numbers)}>"
        saved = self._call("add", mark, facts=[f"{mark} {part}" for part in "abcd"], tags=[mark]).get("saved", [])
        if len(saved) < 4:
            return
        one, two, three, four = (each["id"] for each in saved)
        self._call("update", mark, trace_id=one, content=f"{mark} changed", tags=[mark])
        self._call("merge", mark, trace_ids=[two, three], merged_content=f"{mark} merged")
        self._call("delete", mark, trace_id=four, reason=mark)
        self._call("edit", mark, action="add", text=mark)


def main(file: str, agent: str, name: str, threads: str) -> None:
    """Write until the process is killed."""
    if os.environ.get("DURABLE_DAMAGE") == "early":
        damage()
    memory = over_file(Path(file), lambda: datetime.now(UTC))
    for number in range(int(threads)):
        writer = Writer(Caller(memory, Scope(agent, USER)), f"{name}-{number}")
        threading.Thread(target=writer.run).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
