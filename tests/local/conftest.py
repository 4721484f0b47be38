"""The service as `make local` runs it, on the session's stores and without a model."""

from collections.abc import Iterator

import pytest
from memtools.wiring import backend_of

from local import service
from local.service import Service
from local.template import Template


@pytest.fixture(scope="package")
def running(moto: Template) -> Iterator[Service]:
    with service.running(parameters={"Embedder": "none"}) as started:
        yield started
    backend_of.cache_clear()
