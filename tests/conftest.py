"""What several suites share: one moto server, scopes of their own, and a memory over fakes.

The pure suites load neither boto3 nor moto: what needs them imports them.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from memtools.backend import Backend
from memtools.domain.scope import Scope

from local.template import Template

if TYPE_CHECKING:
    from local.service import Service
from tests.fakes import FakeClock
from tests.memories import over_adapters, over_fakes, over_file

# Before anything imports numpy, as in the functions.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# On CI the same examples each time, so that a failure there is that of the change; elsewhere new ones are tried.
# `make unit` tries few. A busy machine makes nothing fail.
settings.register_profile("usual", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "usual")

_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs an emulator: ``-m "not emulated"`` leaves it out."""
    for item in items:
        if isinstance(item, pytest.Function) and "moto" in item.fixturenames:
            item.add_marker("emulated")


@pytest.fixture
def scope() -> Scope:
    """A scope that no other test uses."""
    return Scope(f"agent-{next(_numbers)}", "ana")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def fake_memory(clock: FakeClock) -> Backend:
    return over_fakes(clock)


@pytest.fixture(scope="session")
def moto() -> Iterator[Template]:
    """The template's table and bucket for the whole session, on moto behind one lock or another emulator."""
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        os.environ.pop(name, None)
    if given := os.environ.get("MEMTOOLS_TEST_ENDPOINT"):
        os.environ["AWS_ENDPOINT_URL"] = given
    from local import store
    from tests.deployed import Deployed

    template = Deployed()
    with store.endpoint():
        store.create(template)
        yield template


@pytest.fixture(scope="package")
def running(moto: Template) -> Iterator["Service"]:
    """The service as `make local` runs it, on the session's moto server, without a model."""
    from memtools.wiring import backend_of

    from local import service

    with service.running(parameters={"Embedder": "none"}) as started:
        yield started
    backend_of.cache_clear()


@pytest.fixture
def moto_memory(moto: Template, clock: FakeClock) -> Iterator[Backend]:
    """A memory over the adapters, on moto; its items go afterwards, since moto gets slow with every one."""
    import boto3
    from memtools.adapters.aws import CONFIG

    environment = moto.environment
    dynamodb = boto3.client("dynamodb", config=CONFIG)
    yield over_adapters(dynamodb, boto3.client("s3", config=CONFIG), environment, clock.now)
    _empty(dynamodb, environment["TABLE_NAME"])


def _empty(dynamodb: Any, table: str) -> None:
    pages = dynamodb.get_paginator("scan").paginate(TableName=table, ProjectionExpression="pk, sk")
    keys = [key for page in pages for key in page["Items"]]
    for start in range(0, len(keys), 25):
        deletions = [{"DeleteRequest": {"Key": key}} for key in keys[start : start + 25]]
        dynamodb.batch_write_item(RequestItems={table: deletions})


@pytest.fixture
def file_memory(tmp_path: Path, clock: FakeClock) -> Backend:
    """A memory in a file of its own."""
    return over_file(tmp_path / "memory.db", clock.now)


@pytest.fixture(params=["fake", "file", pytest.param("moto", marks=pytest.mark.emulated)])
def memory(request: pytest.FixtureRequest) -> Backend:
    """A memory over the fakes, in a file, and over the AWS adapters: what holds of one holds of the others."""
    made: Backend = request.getfixturevalue(f"{request.param}_memory")
    return made


@pytest.fixture
def new_fake_memory() -> Callable[[], tuple[Backend, FakeClock]]:
    """Makes an empty memory over fakes, and the clock it goes by, as often as wanted."""

    def make() -> tuple[Backend, FakeClock]:
        clock = FakeClock()
        return over_fakes(clock), clock

    return make
