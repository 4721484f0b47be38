"""ministack, an emulator of AWS in a process of its own: started on loopback, and stopped again."""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final
from urllib.parse import urlsplit

import requests

from local.environments import environment
from local.guard import KEY, KEY_SETTING
from local.template import ROOT

PINS: Final = ROOT / "local" / "ministack-constraints.txt"
SERVICES: Final = "s3,dynamodb"
_GUARDED: Final = ROOT / "local" / "guarded_ministack.py"
_OURS: Final = {"authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/"}
_SECONDS_TO_START = 60.0
_SECONDS_TO_STOP = 60.0
_PAUSE = 0.05


@contextmanager
def ministack_endpoint(
    start: Sequence[str] = (),
    services: str = SERVICES,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """The address of a ministack of our own, on a free port of loopback.

    ``start`` is the command that starts it, if that is not the usual one, which has a guard; ``settings`` are more of
    its own. It begins empty.
    """
    command = start or [str(environment("ministack", PINS)), "-P", str(_GUARDED)]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        port = _free_port()
        process = subprocess.Popen(
            command,
            env={**_environment(port, folder, services), **settings},
            cwd=folder,
            # Ends with us: the pipe closes when this process ends.
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            # Ctrl+C is for us, who stop it once nobody calls it any more.
            start_new_session=True,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _await_answer(process, url, log)
            yield url
        finally:
            _stop(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _environment(port: int, folder: str, services: str) -> dict[str, str]:
    """These services and nothing else: no other ports, no containers, nothing of the caller's AWS settings."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": folder,
        "TMPDIR": folder,
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "SERVICES": services,
        "S3_DATA_DIR": str(Path(folder) / "s3"),
        "SFTP_ENABLED": "0",
        "IOT_MTLS_ENABLED": "0",
        "DOCKER_HOST": f"unix://{folder}/none",
        "LOG_LEVEL": "WARNING",
        KEY_SETTING: KEY,
    }


def _await_answer(process: subprocess.Popen[bytes], url: str, log: IO[bytes]) -> None:
    end = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < end and process.poll() is None:
        try:
            if requests.get(f"{url}/_ministack/health", headers=_OURS, timeout=1).ok:
                return
        except requests.RequestException:
            _ended_within(process, _PAUSE)
    log.seek(0)
    raise RuntimeError(f"ministack did not start:\n{log.read().decode(errors='replace')}")


def _ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    if not _ended_within(process, _SECONDS_TO_STOP):
        process.kill()
        process.wait()
    if process.stdin:
        process.stdin.close()


def settings_for(address: str) -> Mapping[str, str]:
    """The environment that sends all AWS clients to ``address``, with the key in it or else this process's own."""
    parts = urlsplit(address)
    return {
        "AWS_ENDPOINT_URL": f"{parts.scheme}://{parts.hostname}:{parts.port}",
        "AWS_ACCESS_KEY_ID": parts.username or KEY,
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
