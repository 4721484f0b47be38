import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from memtools.domain.scope import Scope
from memtools.handler import logger

from local import service
from local.service import Service
from local.template import Template


@pytest.fixture(scope="session")
def running(moto: Template) -> Iterator[Service]:
    """The service as `make local` runs it, on the session's moto server."""
    with service.running(parameters={"AgentId": "default-agent"}) as started:
        yield started


@pytest.fixture
def logs(running: Service) -> Iterator[io.StringIO]:
    """What the handlers log from here on."""
    captured = io.StringIO()
    handlers = [one for one in logging.getLogger(logger.name).handlers if isinstance(one, logging.StreamHandler)]
    assert handlers
    before = [one.setStream(captured) for one in handlers]
    yield captured
    for one, stream in zip(handlers, before, strict=True):
        if stream:
            one.setStream(stream)


Post = Callable[..., requests.Response]


@pytest.fixture
def post(running: Service, scope: Scope) -> Post:
    """Call a tool over HTTP as the scope's user, or as another one."""

    def call(tool: str, user: str = scope.user, **arguments: Any) -> requests.Response:
        headers = {"x-memory-agent": scope.agent, "x-memory-user": user}
        return requests.post(f"{running.url}/tools/{tool}", json=arguments, headers=headers, timeout=60)

    return call
