"""ministack behind our guard: whom it answers, and that it ends with the service. `make test-emulator` runs this."""

import os
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import boto3
import pytest

from local.ministack import settings_for
from local.template import Template
from tests.local.doors import HOSTILE, ask
from tests.served import SECONDS, Served, emulated_service, ended


def processes_of(service: Served) -> list[int]:
    """The service and the emulator that it started."""
    listed = subprocess.run(["pgrep", "-P", str(service.process.pid)], capture_output=True, text=True, check=True)
    return [service.process.pid, int(listed.stdout)]


def key_of(service: Served) -> str:
    return urlsplit(service.emulator).username or ""


@pytest.fixture(scope="module")
def service() -> Iterator[Served]:
    with emulated_service("ministack") as started:
        yield started


@pytest.mark.parametrize("by", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=str)
def test_the_emulator_ends_with_the_service(by: signal.Signals) -> None:
    with emulated_service("ministack") as service:
        (_, emulator) = processes_of(service)
        watched = os.pidfd_open(emulator)
        try:
            ended(service, by)
            assert select.select([watched], [], [], SECONDS)[0], "the emulator still runs"
        finally:
            os.close(watched)


@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_ministack_answers_no_page_even_with_the_key(service: Served, sent: dict[str, str], method: str) -> None:
    credential = f"{key_of(service)}/20260101/us-east-1/s3/aws4_request"
    signed = {"authorization": f"AWS4-HMAC-SHA256 Credential={credential}"}
    answer = ask(service.emulator, method, "/", {**signed, **sent})
    assert answer.status in (400, 403)  # 400: no name at all, which is no HTTP
    assert answer.permissions == []


@pytest.mark.parametrize("path", ["/", "/_ministack/health", "/_ministack/reset"])
@pytest.mark.parametrize("key", ["", "local", "test", "000000000000"])
def test_ministack_answers_only_who_knows_the_key(service: Served, path: str, key: str) -> None:
    signed = {"authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/s3/aws4_request"} if key else {}
    for method in ("GET", "POST"):
        assert ask(service.emulator, method, path, signed).status == 403


def test_ministack_permits_no_page_to_read_its_answers(service: Served) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings_for(service.emulator).items():
            patch.setenv(name, value)
        with closing(boto3.client("s3")) as s3:
            told = s3.list_objects_v2(Bucket=Template().environment["BUCKET_NAME"])["ResponseMetadata"]
    assert told["HTTPStatusCode"] == 200
    assert [name for name in told["HTTPHeaders"] if name.startswith("access-control-")] == []


def test_the_service_and_its_emulator_have_one_socket_each(service: Served) -> None:
    """Every socket that listens is one that the tests above ask."""
    listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    for process in processes_of(service):
        (line,) = [one for one in listening.splitlines() if f"pid={process}," in one]
        assert line.split()[3].startswith("127.0.0.1:")
