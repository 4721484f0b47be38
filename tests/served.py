"""The local service as its user starts it: a process of its own, whose memories are kept in a folder."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from local.template import ROOT

SECONDS = 120


@dataclass(frozen=True)
class Served:
    """Where the service answers, and its process; where its emulator does, with the key, if it has one."""

    url: str
    process: subprocess.Popen[str]
    emulator: str = ""


@contextmanager
def local_service(data: Path) -> Iterator[Served]:
    """`make local`, with its memory in ``data``."""
    with started([sys.executable, "-m", "local"], ROOT, {**os.environ, "DATA": str(data)}) as service:
        yield service


@contextmanager
def emulated_service(kind: str) -> Iterator[Served]:
    """`make local STORE=...`."""
    with started([sys.executable, "-m", "local"], ROOT, {**os.environ, "STORE": kind}, emulated=True) as service:
        yield service


@contextmanager
def started(
    command: Sequence[str], folder: Path, settings: Mapping[str, str], *, emulated: bool = False
) -> Iterator[Served]:
    """The service that the command starts, on a free port; it is ended as a system ends it."""
    process = subprocess.Popen(
        command,
        env={**settings, "PORT": "0", "PYTHONUNBUFFERED": "1"},
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    around = ExitStack()
    around.callback(process.stdout.close)
    try:
        url = _told(process.stdout, "window: ")
        if not url:
            raise RuntimeError(f"the service did not start, and ended with {process.wait(SECONDS)}")
        emulator = _told(process.stdout, "emulator: ") if emulated else ""
        # Its log is read on and on, or it would stop where nobody takes it.
        reader = threading.Thread(target=process.stdout.read, daemon=True)
        reader.start()
        around.callback(reader.join, SECONDS)
        yield Served(url.rstrip("/"), process, emulator)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(SECONDS)
        around.close()


def ended(service: Served, by: signal.Signals) -> int:
    """End the service, and nothing else, with a signal; its exit status."""
    service.process.send_signal(by)
    return service.process.wait(SECONDS)


def _told(lines: IO[str], name: str) -> str:
    """What it says of itself under this name; nothing where it ends before."""
    return next((line.removeprefix(name).strip() for line in lines if line.startswith(name)), "")
