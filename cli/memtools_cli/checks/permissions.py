"""What the caller may do with the stores, by calls that change nothing: they are about a scope that is nobody's."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from memtools.adapters.aws import code_of
from memtools.adapters.table.layout import to_dynamodb

from memtools_cli.checks.expected import NOBODY
from memtools_cli.checks.finding import Finding
from memtools_cli.failures import Exit, of_aws
from memtools_cli.stores import Stores

_NOBODY_KEY = to_dynamodb({"pk": f"{NOBODY}/{NOBODY}", "sk": "none"})
_OBJECT = f"agents/{NOBODY}/users/{NOBODY}/none"
# What is answered to a call that is allowed and has nothing to do.
_HARMLESS = frozenset({"ConditionalCheckFailedException", "NoSuchKey", "NoSuchVersion", "404"})


def findings(stores: Stores) -> Iterator[Finding]:
    """For export, import and erase, whether each call of theirs is allowed."""
    table, bucket = {"TableName": stores.table}, {"Bucket": stores.bucket}
    query = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": _NOBODY_KEY["pk"]}}
    never = {"Item": _NOBODY_KEY, "ConditionExpression": "attribute_exists(pk)"}
    nothing = {stores.table: [{"DeleteRequest": {"Key": _NOBODY_KEY}}]}
    calls: dict[str, list[tuple[str, Callable[[], Any]]]] = {
        "export": [
            ("dynamodb:Query", partial(stores.dynamodb.query, **table, **query)),
            ("s3:ListBucketVersions", partial(stores.s3.list_object_versions, **bucket, Prefix=_OBJECT, MaxKeys=1)),
            ("s3:GetObject", partial(stores.s3.get_object, **bucket, Key=_OBJECT)),
        ],
        "import": [("dynamodb:PutItem", partial(stores.dynamodb.put_item, **table, **never))],
        "erase": [
            ("dynamodb:BatchWriteItem", partial(stores.dynamodb.batch_write_item, RequestItems=nothing)),
            ("s3:DeleteObjectVersion", partial(stores.s3.delete_object, **bucket, Key=_OBJECT, VersionId="null")),
        ],
    }
    for command, some in calls.items():
        yield _finding(command, {action: _refusal(call) for action, call in some})


def _finding(command: str, refusals: dict[str, str]) -> Finding:
    check = f"permission to {command}"
    refused = {action: why for action, why in refusals.items() if why}
    if not refused:
        return Finding(check, "ok", ", ".join(refusals))
    found = "; ".join(f"{action}: {why}" for action, why in refused.items())
    return Finding(check, "warning", found, f"{command} needs it; the tools themselves do not need it of you.")


def _refusal(call: Callable[[], Any]) -> str:
    """Why the call is not possible; empty where it is."""
    try:
        call()
    except (ClientError, BotoCoreError) as error:
        if isinstance(error, ClientError) and code_of(error) in _HARMLESS:
            return ""
        failure = of_aws(error, "try")
        return "not allowed" if failure.exit is Exit.FORBIDDEN else failure.message
    return ""
