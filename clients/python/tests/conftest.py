"""Clients of the service that ``python -m tests.clients`` has started; each test has a user of its own."""

import ast
import json
import os
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import CodeType
from typing import Any

import boto3
import pytest
from memtools_client import MemoryClient
from memtools_client.files.notes import Notes


@pytest.fixture
def client() -> MemoryClient:
    return MemoryClient.local(os.environ["MEMTOOLS_URL"], user=f"user-{uuid.uuid4()}", agent="helper")


@pytest.fixture(scope="session")
def s3() -> Any:
    return boto3.client("s3")


@pytest.fixture
def bucket() -> str:
    return os.environ["MEMTOOLS_BUCKET"]


@pytest.fixture
def notes(s3: Any, bucket: str, client: MemoryClient) -> Notes:
    return Notes(s3, bucket, agent="helper", user=str(client.scope.user))


def example(page: str, begins: str) -> CodeType:
    """The one block of Python on the page that begins so, compiled; it may await."""
    text = (Path(__file__).parents[3] / page).read_text("utf-8")
    (block,) = re.findall(rf"^```python\n({re.escape(begins)}.*?)^```$", text, re.DOTALL | re.MULTILINE)
    code: CodeType = compile(block, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return code


Served = tuple[str, list[dict[str, Any]]]


@pytest.fixture
def scripted_api() -> Iterator[Callable[..., Served]]:
    """Makes an HTTP API of a model that gives these answers, one after the other, and keeps the requests."""
    with ExitStack() as servers:
        yield lambda *answers: servers.enter_context(_serving(list(answers)))


@contextmanager
def _serving(answers: list[dict[str, Any]]) -> Iterator[Served]:
    received: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            body = json.dumps(answers[len(received) - 1]).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """No log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
