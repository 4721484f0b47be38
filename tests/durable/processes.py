"""The local service with a durable store as a process, and the emulator that it started."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from local.ministack import settings_for
from local.template import ROOT

SECONDS = 120


@dataclass(frozen=True)
class Running:
    """The service, where it answers, and where its emulator does, with the key."""

    process: subprocess.Popen[str]
    url: str
    emulator: str

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a client of its stores."""
        return {**settings_for(self.emulator)}

    def end(self, by: signal.Signals) -> None:
        """End the service, and nothing else, with a signal."""
        self.process.send_signal(by)
        self.process.wait(SECONDS)
        if self.process.stdout:
            self.process.stdout.close()


def start(data: Path) -> Running:
    """A service that keeps its memories in ``data``. Raises RuntimeError with what it says where it does not start."""
    settings = {**os.environ, "STORE": "ministack", "DATA": str(data), "PORT": "0", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "local"],
        env=settings,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    told: dict[str, str] = {}
    said = ""
    for line in process.stdout:
        said += line
        name, _, value = line.partition(": ")
        told[name] = value.strip()
        if "emulator" in told:
            return Running(process, told["window"].rstrip("/"), told["emulator"])
    process.wait(SECONDS)
    process.stdout.close()
    raise RuntimeError(said)
