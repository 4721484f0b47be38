"""ministack, a second emulator of AWS: made and started here, on loopback, and stopped again.

    python -m tests.emulator COMMAND...

runs a command with MEMTOOLS_TEST_ENDPOINT set to its address.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import requests

from local.template import ROOT

ENDPOINT: Final = "MEMTOOLS_TEST_ENDPOINT"
PINS: Final = ROOT / "tests" / "emulator-constraints.txt"
_SECONDS_TO_START = 60.0
_SECONDS_TO_STOP = 10.0
_PAUSE = 0.05


def environment(name: str, *pins: Path, interpreter: str = sys.executable) -> Path:
    """The Python of build/``name``, which is made where it is not there yet, or was made from other pins."""
    home = ROOT / "build" / name
    python = home / "bin" / "python"
    made_from = home / ".made-from"
    wanted = "".join(one.read_text("utf-8") for one in pins)
    if made_from.exists() and made_from.read_text("utf-8") == wanted:
        return python
    print(f"Setting up {home.relative_to(ROOT)} (once) ...", file=sys.stderr, flush=True)
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--clear", "--python", interpreter, str(home))
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        _run(interpreter, "-m", "venv", "--clear", str(home))
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(*install, *(part for one in pins for part in ("--requirement", str(one))))
    made_from.write_text(wanted, "utf-8")
    return python


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)


@contextmanager
def ministack_endpoint(start: Sequence[str] = (), services: str = "s3,dynamodb") -> Iterator[str]:
    """The address of a ministack of our own, on a free port of loopback; its state ends with it.

    ``start`` is the command that starts it, where that is not the usual one.
    """
    command = start or [str(environment("ministack", PINS)), "-m", "ministack"]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        port = _free_port()
        process = subprocess.Popen(
            command,
            env=_environment(port, folder, services),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
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
    }


def _await_answer(process: subprocess.Popen[bytes], url: str, log: IO[bytes]) -> None:
    end = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < end and process.poll() is None:
        try:
            if requests.get(f"{url}/_ministack/health", timeout=1).ok:
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


def settings_for(address: str) -> Mapping[str, str]:
    """The environment that sends all AWS clients to ``address``, as nobody in particular."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }


def main() -> int:
    """Run the command; its exit code."""
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    with ministack_endpoint() as address:
        environment = {**os.environ, **settings_for(address), ENDPOINT: address}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
