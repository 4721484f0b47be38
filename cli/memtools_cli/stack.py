"""What a CloudFormation stack made of the template says about itself."""

from collections.abc import Mapping
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from memtools_cli.failures import of_aws, told

# A laptop on a train is slower than a function: more patience than memtools.adapters.aws has.
CONFIG = Config(
    connect_timeout=5, read_timeout=40, max_pool_connections=32, retries={"mode": "standard", "total_max_attempts": 5}
)


def client(service: str) -> Any:
    """A client of an AWS service. Raises Failure where no region or no such profile is set."""
    try:
        return boto3.client(service, config=CONFIG)  # type: ignore[call-overload]
    except (ClientError, BotoCoreError) as error:
        raise of_aws(error, f"make a client for {service}") from None


def outputs_of(stack: str) -> Mapping[str, str]:
    """The stack's outputs by name."""
    with told(f"read the stack {stack}"):
        (found,) = client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}
