"""What the options or the stack's outputs name: an archive, functions; and the clients of AWS services for them."""

from collections.abc import Mapping
from typing import Any, Final

import boto3
from botocore.config import Config
from memtools.adapters.archive.deployed import DeployedArchive
from memtools.adapters.archive.errors import translated
from memtools.adapters.archive.port import Archive
from memtools.adapters.archive.stores import Stores
from memtools.errors import InvalidArguments
from memtools_client.functions import FUNCTIONS as FUNCTION_OF_TOOL

from memtools_cli.failures import BadUsage, Refused
from memtools_cli.local import archive_in
from memtools_cli.options import StoreOptions, folder_of

FUNCTIONS: Final = tuple(dict.fromkeys(FUNCTION_OF_TOOL.values()))
# A laptop on a train needs longer timeouts and more attempts than a function does.
_CONFIG: Final = Config(
    connect_timeout=5, read_timeout=40, max_pool_connections=32, retries={"mode": "standard", "total_max_attempts": 5}
)


def client(service: str) -> Any:
    """A client of an AWS service. Raises ToolError without a region, or for a profile that does not exist."""
    with translated(f"make a client for {service}"):
        return boto3.client(service, config=_CONFIG)  # type: ignore[call-overload]


def outputs_of(stack: str) -> Mapping[str, str]:
    """The stack's outputs by name. Raises Failure or ToolError."""
    try:
        with translated(f"read the stack {stack}"):
            (found,) = client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    except InvalidArguments:  # CloudFormation calls a stack that does not exist a validation error
        raise Refused(f"There is no stack {stack} in this region and account.") from None
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}


def archive_of(options: StoreOptions) -> Archive:
    """The archive of the memory that the options name. Raises Failure or ToolError."""
    return DeployedArchive(stores_of(options)) if options.is_deployed else archive_in(folder_of(options.data))


def agent_archive_of(options: StoreOptions, *, local: bool) -> Archive | None:
    """The archive for documents of the agent, which need no table; None if no bucket is named.

    ``local``: the tools run on this machine. Raises Failure or ToolError.
    """
    if not options.is_deployed:
        return archive_in(folder_of(options.data)) if local else None
    bucket = options.bucket or (outputs_of(options.stack).get("BucketName", "") if options.stack else "")
    return DeployedArchive(Stores.of(client("dynamodb"), client("s3"), "", bucket)) if bucket else None


def stores_of(options: StoreOptions) -> Stores:
    """The table and the bucket that the options name, or the stack's. Raises Failure or ToolError."""
    table, bucket = options.table, options.bucket
    if not (table and bucket):
        if not options.stack:
            raise BadUsage("Where is the memory? Name --stack, or both --table and --bucket.")
        outputs = outputs_of(options.stack)
        table, bucket = table or outputs.get("TableName", ""), bucket or outputs.get("BucketName", "")
        if not (table and bucket):
            raise BadUsage(f"The stack {options.stack} has no outputs TableName and BucketName: is it one of memtools?")
    return Stores.of(client("dynamodb"), client("s3"), table, bucket)


def functions_of(outputs: Mapping[str, str]) -> dict[str, str]:
    """The ARNs of the functions by what they serve, from the stack's outputs."""
    arns = {name: outputs.get(f"{name.capitalize()}FunctionArn", "") for name in FUNCTIONS}
    return {name: arn for name, arn in arns.items() if arn}


def functions_with_prefix(prefix: str) -> dict[str, str]:
    """The functions named by the prefix and what they serve, such as memtools-SearchFunction-1a2b. Raises Failure."""
    with translated("list the functions"):
        pages = client("lambda").get_paginator("list_functions").paginate()
        names = [one["FunctionName"] for page in pages for one in page["Functions"]]
    rests = {name: name.removeprefix(prefix).lstrip("-_").lower() for name in names if name.startswith(prefix)}
    found: dict[str, str] = {}
    for function in FUNCTIONS:
        matching = [name for name, rest in rests.items() if rest.startswith(function)]
        if len(matching) > 1:
            raise BadUsage(f"--function-prefix matches several functions: {', '.join(matching)}. Give a longer one.")
        if matching:
            found[function] = matching[0]
    return found
