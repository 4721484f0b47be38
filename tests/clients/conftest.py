"""The service as `make local` runs it, and a stand-in for it that misbehaves."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from memtools.domain.scope import Scope
from memtools_client import AsyncMemoryClient, MemoryClient

from local.service import Service
from tests.clients.stand_in import StandIn, listening


@pytest.fixture
def ana(running: Service, scope: Scope) -> MemoryClient:
    return MemoryClient.local(running.url, user=scope.user, agent=scope.agent)


@pytest.fixture
def async_ana(running: Service, scope: Scope) -> AsyncMemoryClient:
    return AsyncMemoryClient.local(running.url, user=scope.user, agent=scope.agent)


@pytest.fixture
def answering() -> Iterator[Callable[..., StandIn]]:
    """Makes a server that gives these answers, one after the other."""
    with ExitStack() as servers:
        yield lambda *answers: servers.enter_context(listening(*answers))
