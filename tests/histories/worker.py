"""A process with the real tools over the store, a clock of its own that is wrong, and caches of its own.

It reads calls from standard input, a line of JSON each, and writes replies to the descriptor that it is given.
"""

import json
import os
import sys
import time
from datetime import datetime, timedelta
from typing import Any

from memtools import current_call
from memtools.adapters import aws as store_clock
from memtools.adapters.sqlite import traces as sqlite_traces
from memtools.adapters.sqlite.file import MemoryFile
from memtools.adapters.table.statements import Statement
from memtools.config import Settings
from memtools.domain.scope import Scope
from memtools.errors import ToolError
from memtools.freshness import indexes
from memtools.wiring import backend_of

from tests.calls import Caller


def skew(seconds: float) -> None:
    """Let every clock that our modules look at be wrong by so much."""

    class Skewed(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + timedelta(seconds=seconds)

    uptime = store_clock._uptime
    store_clock._uptime = lambda: uptime() + seconds
    for name, module in list(sys.modules.items()):
        if name.startswith("memtools.") and getattr(module, "datetime", None) is datetime:
            module.datetime = Skewed  # type: ignore[attr-defined]


def damage(kind: str) -> None:
    """Break the code on purpose, so that a test can see that the checker notices."""
    if kind == "no conditions":
        whole = Statement.as_parameters

        def unconditional(self: Statement) -> dict[str, Any]:
            parameters = whole(self)
            expressions = ("ConditionExpression", "ReturnValuesOnConditionCheckFailure")
            kept = {name: value for name, value in parameters.items() if name not in expressions}
            used = kept.get("UpdateExpression", "")
            for part in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
                some = {name: value for name, value in kept.pop(part, {}).items() if name in used}
                kept |= {part: some} if some else {}
            return kept if used else parameters

        Statement.as_parameters = unconditional  # type: ignore[method-assign]
        # A file is so fast that two processes hardly ever write at once: here a commit takes as long as one at AWS.
        sqlite_traces._obstacles = lambda *_: iter(())
        for statement in ("INSERT", "INSERT_HISTORY"):
            setattr(sqlite_traces, statement, getattr(sqlite_traces, statement).replace("INSERT", "REPLACE"))
        commit = sqlite_traces.SqliteTraces.commit

        def slow(*arguments: Any, **named: Any) -> None:
            time.sleep(0.02)
            commit(*arguments, **named)

        sqlite_traces.SqliteTraces.commit = slow  # type: ignore[method-assign]
    if kind == "own clock":
        indexes.OVERLAP = timedelta(0)
        wall: Any = vars(store_clock)
        MemoryFile.now = lambda self: self._wall()  # type: ignore[method-assign]
        setattr(store_clock.StoreClock, "now", lambda _: wall["datetime"].now(wall["UTC"]))  # noqa: B010 - for mypy


def answer(caller: Caller, call: dict[str, Any]) -> dict[str, Any]:
    """What a tool answers: its reply, or its error."""
    if (key := call.get("key")) and os.environ.get("HISTORY_DAMAGE") != "no keys":
        caller = caller.keyed(key)
    try:
        with current_call.running_call():
            return {"reply": getattr(caller, call["tool"])(**call["arguments"])}
    except ToolError as error:
        return {"error": error.as_dict()}


def main() -> None:
    """Answer calls until the input ends."""
    out, agent, user = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    backend = backend_of(Settings.from_environment())
    indexes.FEW = 16
    damage(os.environ.get("HISTORY_DAMAGE", ""))
    skew(float(os.environ.get("HISTORY_SKEW", "0")))
    caller = Caller(backend, Scope(agent, user))
    with os.fdopen(out, "w") as replies:
        for line in sys.stdin:
            call = json.loads(line)
            if "sleep" in call:
                time.sleep(call["sleep"])
            print(json.dumps(answer(caller, call)), file=replies, flush=True)


if __name__ == "__main__":
    main()
