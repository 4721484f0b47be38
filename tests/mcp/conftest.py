import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import session
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from memtools.domain.scope import Scope

from local import service
from local.service import Service
from local.template import Template

CURRENT = "2026-07-28"
OLDER = ("2025-11-25", "2025-06-18", "2025-03-26")

Connect = Callable[..., AbstractAsyncContextManager[Client]]
Conversation = Callable[[Client], Coroutine[Any, Any, None]]


@pytest.fixture(scope="session")
def running(moto: Template) -> Iterator[Service]:
    """The service as `make local` runs it, on the session's moto server."""
    with service.running() as started:
        yield started


def environment() -> dict[str, str]:
    """What a subprocess needs to find the command line."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.environ["PATH"]}


def arguments(url: str, scope: Scope, profile: str) -> list[str]:
    """The command line of the server."""
    whose = ["--agent", scope.agent, "--user", scope.user]
    return ["-m", "memtools_cli", "mcp", "--url", url, *whose, "--profile", profile]


def stdio(url: str, scope: Scope, profile: str) -> Any:
    command = arguments(url, scope, profile)
    return stdio_client(StdioServerParameters(command=sys.executable, args=command, env=environment()))


def http(url: str, scope: Scope, profile: str) -> Any:
    headers = {"x-memory-agent": scope.agent, "x-memory-user": scope.user}
    client = httpx2.AsyncClient(headers=headers, timeout=60)
    return streamable_http_client(f"{url}/mcp?profile={profile}", http_client=client)


@pytest.fixture(params=[stdio, http], ids=["stdio", "http"])
def transport(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def connect(transport: Any, running: Service, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> Connect:
    """The official client, in a protocol revision."""

    @asynccontextmanager
    async def connected(revision: str = CURRENT, profile: str = "small") -> AsyncIterator[Client]:
        monkeypatch.setattr(session, "LATEST_HANDSHAKE_VERSION", revision if revision in OLDER else OLDER[0])
        mode = "auto" if revision == CURRENT else "legacy"
        async with Client(transport(running.url, scope, profile), mode=mode) as client:
            assert client.protocol_version == revision
            yield client

    return connected
