"""What the local service bounds: bodies, idle connections, connections at once."""

import socket
import tracemalloc
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from memtools_cli.service import serving
from memtools_cli.service.http import BODY_LIMIT as LIMIT

from local.service import Service

CALLER = {"x-memory-agent": "helper", "x-memory-user": "maya"}
PIECE = b" " * 65_536


def connected(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), timeout=60)


def request(address: str, *headers: str) -> bytes:
    """The head of a call of a tool."""
    lines = ("POST /tools/memory_list HTTP/1.1", f"Host: {urlsplit(address).netloc}", *headers, "", "")
    return "\r\n".join(lines).encode()


def test_a_body_that_is_too_large_is_refused_unread(running: Service) -> None:
    """The answer comes although hardly anything of the body does."""
    with connected(running.url) as client:
        client.sendall(request(running.url, f"Content-Length: {200 * 1024 * 1024}") + PIECE)
        assert client.recv(12) == b"HTTP/1.1 413"


def test_a_body_of_unknown_size_is_read_to_the_limit_alone(running: Service) -> None:
    with connected(running.url) as client:
        client.sendall(request(running.url, "Transfer-Encoding: chunked"))
        for _ in range(LIMIT // len(PIECE) + 1):
            client.sendall(f"{len(PIECE):x}\r\n".encode() + PIECE + b"\r\n")
        client.sendall(b"0\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 413"


def test_a_body_of_just_the_limit_reaches_its_tool(running: Service) -> None:
    body = b"{}" + b" " * (LIMIT - 2)
    assert requests.post(f"{running.url}/tools/memory_list", data=body, headers=CALLER, timeout=60).status_code == 200
    assert requests.post(f"{running.url}/tools/memory_list", data=body + b" ", timeout=60).status_code == 413


def test_a_refused_body_takes_no_memory(running: Service) -> None:
    """What a client goes on sending after its answer is dropped in small pieces."""
    pieces = 20 * 1024 * 1024 // len(PIECE)
    tracemalloc.start()
    try:
        with connected(running.url) as client:
            client.sendall(request(running.url, f"Content-Length: {pieces * len(PIECE)}"))
            for _ in range(pieces):
                client.sendall(PIECE)
            while client.recv(1000):
                pass
        assert tracemalloc.get_traced_memory()[1] < 5 * 1024 * 1024
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "sent", [b"", b"POST /tools/memory_list HTTP/1.1\r\nHost: 127.", b"POST / HTTP/1.1\r\n\r\n"[:-2]]
)
def test_an_idle_connection_is_closed(running: Service, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.1)
    with connected(running.url) as client:
        client.sendall(sent)
        assert client.recv(1000) == b""


def test_a_body_that_never_comes_ends_its_connection(running: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving._Handler, "timeout", 0.1)
    with connected(running.url) as client:
        client.sendall(request(running.url, "Content-Length: 10", "x-memory-agent: a", "x-memory-user: b") + b"{")
        answer = b"".join(iter(lambda: client.recv(1000), b""))
    assert answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")) or not answer


def answering(_: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [("content-length", "0")])
    return []


def test_connections_at_once_are_bounded_and_freed() -> None:
    """Those beyond the bound are told so; when one ends, the next is answered."""
    with serving.serving(answering, connections=3) as address, ExitStack() as around:
        idle = [around.enter_context(connected(address)) for _ in range(3)]
        with connected(address) as client:
            assert client.recv(12) == b"HTTP/1.1 503"
        idle[0].close()
        statuses = [503]
        while statuses[-1] == 503:
            statuses.append(requests.get(address, timeout=60).status_code)
        assert statuses[-1] == 200


def test_the_bounds_are_those_that_the_page_tells() -> None:
    assert (serving.CONNECTIONS, serving.IDLE_SECONDS, LIMIT) == (100, 30, 6 * 1024 * 1024)
    assert serving._Handler.timeout == serving.IDLE_SECONDS
