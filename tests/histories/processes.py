"""The processes of a history: started, asked, stopped, killed and started again."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from memtools.domain.scope import Scope

from tests.histories.events import OK, REFUSED, UNKNOWN, Event


class Process:
    """A worker with a wrong clock. One caller at a time may ask it."""

    def __init__(self, number: int, scope: Scope, skew: float, settings: Mapping[str, str]) -> None:
        self.number, self.skew = number, skew
        self._scope = scope
        self._settings = {**os.environ, **settings, "HISTORY_SKEW": str(skew), "OPENBLAS_NUM_THREADS": "1"}
        self._turn = threading.Lock()
        self._start()

    def _start(self) -> None:
        read, write = os.pipe()
        command = [sys.executable, "-m", "tests.histories.worker", str(write), self._scope.agent, self._scope.user]
        self._worker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[write], env=self._settings, text=True
        )
        os.close(write)
        self._replies = os.fdopen(read)

    def ask(self, tool: str, *, purpose: str = "", key: str = "", **arguments: Any) -> Event:
        """Call a tool. A worker that is killed meanwhile is started again, without what it knew."""
        with self._turn:
            began = time.monotonic()
            try:
                assert self._worker.stdin
                self._worker.stdin.write(json.dumps({"tool": tool, "arguments": arguments, "key": key}) + "\n")
                self._worker.stdin.flush()
                line = self._replies.readline()
            except OSError:
                line = ""
            ended = time.monotonic()
            if not line:
                self.close()
                self._start()
        outcome, reply = _told(line)
        return Event(self.number, tool, arguments, began, ended, outcome, reply, purpose, key)

    def stop_for(self, seconds: float) -> None:
        """Stop it, wherever it is, and let it go on later."""
        self._worker.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self._worker.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it, wherever it is."""
        self._worker.kill()

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self._worker.kill()
        self._worker.wait()
        self._replies.close()
        if self._worker.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._worker.stdin.close()


def _told(line: str) -> tuple[str, dict[str, Any]]:
    if not line.endswith("\n"):
        return UNKNOWN, {}
    answer = json.loads(line)
    if "reply" in answer:
        return OK, answer["reply"]
    error: dict[str, Any] = answer["error"]
    return UNKNOWN if error["code"] == "unavailable" else REFUSED, error
