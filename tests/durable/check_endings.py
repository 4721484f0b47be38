"""ministack under the local service: who may ask it, who holds its folder, and that it ends with the service.

Real processes; ``python -m tests.durable`` runs them, since ministack is needed.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import boto3
import pytest
import requests

from local.lock import Locked, held
from local.template import Template
from tests.durable.processes import SECONDS, Running, start
from tests.local.doors import HOSTILE, ask

CALLER = {"x-memory-agent": "helper", "x-memory-user": "maya"}
FACT = "Maya sails"


def call(service: Running, tool: str, **arguments: Any) -> Any:
    reply = requests.post(f"{service.url}/tools/memory_{tool}", json=arguments, headers=CALLER, timeout=SECONDS)
    reply.raise_for_status()
    return reply.json()


def emulator_of(service: Running) -> int:
    """The process that the service started."""
    listed = subprocess.run(["pgrep", "-P", str(service.process.pid)], capture_output=True, text=True, check=True)
    return int(listed.stdout)


def await_release(folder: Path) -> None:
    """Wait until no process holds the folder any more."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            with held(folder):
                return
        except Locked:
            time.sleep(0.05)
    pytest.fail("the folder is still held")


@pytest.mark.parametrize("by", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=str)
def test_the_emulator_ends_with_the_service_and_keeps_its_state(tmp_path: Path, by: signal.Signals) -> None:
    """A closed terminal, an end of the system and a killed process lose nothing and leave nothing running."""
    service = start(tmp_path)
    emulator = emulator_of(service)
    call(service, "add", facts=[FACT])
    service.end(by)
    await_release(tmp_path)
    if by is not signal.SIGKILL:
        with pytest.raises(ProcessLookupError):
            os.kill(emulator, 0)
    again = start(tmp_path)
    assert [one["content"] for one in call(again, "list")["results"]] == [FACT]
    again.end(signal.SIGTERM)


def test_an_emulator_whose_service_was_killed_still_holds_its_folder(tmp_path: Path) -> None:
    """Nobody else writes there until it has written its state down, so it overwrites nothing."""
    service = start(tmp_path)
    call(service, "add", facts=[FACT])
    with pytest.raises(RuntimeError, match="another process keeps its memories"):
        start(tmp_path)
    emulator = emulator_of(service)
    os.kill(emulator, signal.SIGSTOP)
    service.end(signal.SIGKILL)
    with pytest.raises(RuntimeError, match="another process keeps its memories"):
        start(tmp_path)
    os.kill(emulator, signal.SIGCONT)
    await_release(tmp_path)
    again = start(tmp_path)
    assert [one["content"] for one in call(again, "list")["results"]] == [FACT]
    again.end(signal.SIGTERM)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    started = start(tmp_path_factory.mktemp("data"))
    yield started
    started.end(signal.SIGTERM)


@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_ministack_answers_no_page_even_with_the_key(service: Running, sent: dict[str, str], method: str) -> None:
    key = service.settings["AWS_ACCESS_KEY_ID"]
    signed = {"authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/s3/aws4_request"}
    answer = ask(service.emulator, method, "/", {**signed, **sent})
    assert answer.status in (400, 403)  # 400: no name at all, which is no HTTP
    assert answer.permissions == []


@pytest.mark.parametrize("path", ["/", "/_ministack/health", "/_ministack/reset"])
@pytest.mark.parametrize("key", ["", "local", "test", "000000000000"])
def test_ministack_answers_only_who_knows_the_key(service: Running, path: str, key: str) -> None:
    signed = {"authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/s3/aws4_request"} if key else {}
    for method in ("GET", "POST"):
        assert ask(service.emulator, method, path, signed).status == 403


def test_ministack_permits_no_page_to_read_its_answers(service: Running) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in service.settings.items():
            patch.setenv(name, value)
        with closing(boto3.client("s3")) as s3:
            told = s3.list_objects_v2(Bucket=Template().environment["BUCKET_NAME"])["ResponseMetadata"]
    assert told["HTTPStatusCode"] == 200
    assert [name for name in told["HTTPHeaders"] if name.startswith("access-control-")] == []


def test_the_service_and_its_emulator_have_one_socket_each(service: Running) -> None:
    """Every socket that listens is one that the tests above ask."""
    listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    for process in (service.process.pid, emulator_of(service)):
        (line,) = [one for one in listening.splitlines() if f"pid={process}," in one]
        assert line.split()[3].startswith("127.0.0.1:")
