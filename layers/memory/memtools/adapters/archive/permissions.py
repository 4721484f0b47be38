"""Tries the calls of export, import and erase on a scope that belongs to nobody. They change nothing."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from memtools.adapters.archive.errors import translation
from memtools.adapters.archive.stores import Stores, documents_prefix
from memtools.adapters.aws import code_of, to_dynamodb
from memtools.domain.scope import Scope
from memtools.errors import ToolError

# The agent and the user of a scope that belongs to nobody.
NOBODY: Final = "memtools-doctor"
# The responses to a call that is allowed and finds nothing to do.
_HARMLESS: Final = frozenset({"ConditionalCheckFailedException", "NoSuchKey", "NoSuchVersion", "404"})


def failed_calls(stores: Stores) -> dict[str, dict[str, ToolError | None]]:
    """The permissions that export, import and erase need, each with the error of its call, if any."""
    table, bucket = {"TableName": stores.table}, {"Bucket": stores.bucket}
    scope = Scope(NOBODY, NOBODY)
    key, document = to_dynamodb({"pk": scope.key, "sk": "none"}), documents_prefix(scope) + "none"
    query = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": key["pk"]}}
    replacement = {"Item": key, "ConditionExpression": "attribute_exists(pk)"}
    deletion = {stores.table: [{"DeleteRequest": {"Key": key}}]}
    dynamodb, s3 = stores.dynamodb, stores.s3
    calls: dict[str, dict[str, Callable[[], Any]]] = {
        "export": {
            "dynamodb:Query": partial(dynamodb.query, **table, **query),
            "s3:ListBucketVersions": partial(s3.list_object_versions, **bucket, Prefix=document, MaxKeys=1),
            "s3:GetObject": partial(s3.get_object, **bucket, Key=document),
        },
        "import": {"dynamodb:PutItem": partial(dynamodb.put_item, **table, **replacement)},
        "erase": {
            "dynamodb:PutItem": partial(dynamodb.put_item, **table, **replacement),
            "dynamodb:BatchWriteItem": partial(dynamodb.batch_write_item, RequestItems=deletion),
            "s3:DeleteObjectVersion": partial(s3.delete_object, **bucket, Key=document, VersionId="null"),
        },
    }
    return {command: {action: _error(call) for action, call in some.items()} for command, some in calls.items()}


def _error(call: Callable[[], Any]) -> ToolError | None:
    try:
        call()
    except (ClientError, BotoCoreError) as error:
        if not (isinstance(error, ClientError) and code_of(error) in _HARMLESS):
            return translation(error, "try")
    return None
