"""The memory that lives are led on: over the adapters, on the strict emulator."""

from collections.abc import Iterator

import boto3
import pytest
from memtools.adapters.aws import CONFIG
from memtools.backend import Backend

from local.template import Template
from tests.fakes import FakeClock
from tests.memories import over_adapters
from tests.strict.emulator import strict_store


@pytest.fixture
def strict_memory(moto: Template, moto_memory: Backend, clock: FakeClock) -> Iterator[Backend]:
    """Items expire by the test's clock as soon as they may, and have DynamoDB's limits.

    It shares moto's tables with ``moto_memory``, which empties them.
    """
    with strict_store(moto, clock.now):
        yield over_adapters(
            boto3.client("dynamodb", config=CONFIG), boto3.client("s3", config=CONFIG), moto.environment, clock.now
        )
