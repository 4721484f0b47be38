"""The local service as its user starts it: a process of its own, whose memories are kept in a folder."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from local.template import ROOT

_SECONDS_TO_STOP = 120


@dataclass(frozen=True)
class Served:
    """Where the service answers, and where its stores do."""

    url: str
    emulator: str


@contextmanager
def local_service(data: Path) -> Iterator[Served]:
    """A service that keeps its memories in ``data``."""
    kept = {"STORE": "ministack", "DATA": str(data)}
    with started([sys.executable, "-m", "local"], ROOT, {**os.environ, **kept}) as service:
        yield service


@contextmanager
def started(command: Sequence[str], folder: Path, settings: Mapping[str, str]) -> Iterator[Served]:
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
    try:
        url, emulator = _told(process.stdout, "window: "), _told(process.stdout, "emulator: ")
        if not emulator:
            raise RuntimeError(f"the service did not start, and ended with {process.wait(_SECONDS_TO_STOP)}")
        # Its log is read on and on, or it would stop where nobody takes it.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield Served(url.rstrip("/"), emulator)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(_SECONDS_TO_STOP)


@contextmanager
def answering(application: Any) -> Iterator[str]:
    """The address on loopback at which a WSGI application answers."""
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, application, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _told(lines: IO[str], name: str) -> str:
    """What it says of itself under this name; nothing where it ends before."""
    return next((line.removeprefix(name).strip() for line in lines if line.startswith(name)), "")
