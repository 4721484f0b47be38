"""Which AWS errors pass, which never do, and how often each is asked again."""

from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
)
from memtools.adapters.aws import translated_errors
from memtools.adapters.table.traces import DynamoTraces
from memtools.adapters.translation import WRITE_FAILED
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace, key_of
from memtools.errors import Fault, TooLarge, ToolError, Unavailable
from memtools.ports import ConditionFailed, Write

from tests.fakes import START
from tests.memories import RETENTION

_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


def client_error(code: str, status: int = 400, message: str = "secret", **more: Any) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **more,
    }
    return ClientError(response, "TransactWriteItems")


PASSES = [
    client_error("ThrottlingException"),
    client_error("ProvisionedThroughputExceededException"),
    client_error("RequestLimitExceeded"),
    client_error("SlowDown", 503),
    client_error("InternalServerError", 500),
    client_error("AnythingNew", 503),
    EndpointConnectionError(endpoint_url="secret"),
    ConnectTimeoutError(endpoint_url="secret"),
    ReadTimeoutError(endpoint_url="secret"),
    IncompleteReadError(actual_bytes=1, expected_bytes=2),
]
STAYS = [
    client_error("AccessDeniedException"),
    client_error("AccessDenied", 403),
    client_error("ValidationException"),
    client_error("ResourceNotFoundException"),
    client_error("ExpiredTokenException"),
    client_error("NoSuchBucket", 404),
    client_error("KMS.DisabledException"),
    client_error("AnythingNew"),
    NoCredentialsError(),
]
FULL = [
    client_error("ItemCollectionSizeLimitExceededException"),
    client_error("ValidationException", message=_TOO_LARGE),
    client_error("ValidationException", message="Item size has exceeded the maximum allowed size"),
]
CASES = [
    (error, kind) for kind, errors in ((Unavailable, PASSES), (Fault, STAYS), (TooLarge, FULL)) for error in errors
]


@pytest.mark.parametrize(("error", "kind"), CASES, ids=str)
def test_only_what_may_pass_is_retryable(error: ClientError | BotoCoreError, kind: type[ToolError]) -> None:
    """FAULTS A10: throttling, a store's own failure and no answer may pass; all else never does."""
    with pytest.raises(ToolError) as caught, translated_errors(WRITE_FAILED):
        raise error
    assert type(caught.value) is kind
    assert caught.value.retryable is (kind is Unavailable)
    assert "secret" not in str(caught.value.as_dict())


def cancelled(*reasons: Mapping[str, Any]) -> ClientError:
    return client_error("TransactionCanceledException", CancellationReasons=list(reasons))


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("ItemCollectionSizeLimitExceeded", "secret", TooLarge),
        ("ValidationError", _TOO_LARGE, TooLarge),
        ("ValidationError", "secret", Fault),
        ("AccessDenied", "secret", Fault),
        ("SomethingNew", "secret", Fault),
    ],
)
@pytest.mark.parametrize("other", ["None", "TransactionConflict", "ThrottlingError", "ConditionalCheckFailed"])
def test_a_reason_that_stays_ends_a_transaction_at_once(
    scope: Scope, code: str, message: str, kind: type[ToolError], other: str
) -> None:
    """FAULTS A10: however many other reasons come with it."""
    client = Mock()
    client.transact_write_items.side_effect = cancelled({"Code": other}, {"Code": code, "Message": message})
    writes = [birth(scope, "one"), birth(scope, "two")]
    with pytest.raises(kind) as caught:
        DynamoTraces(client, "table", "index", RETENTION, lambda: START).commit(scope, Stamp(START, "write"), writes)
    assert client.transact_write_items.call_count == 1
    assert "secret" not in str(caught.value.as_dict())


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_reason_that_may_pass_is_tried_again(scope: Scope, code: str) -> None:
    """A condition that failed beside it is the answer, because it is known already."""
    client = Mock()
    client.transact_write_items.side_effect = [cancelled({"Code": code}), cancelled({"Code": code}), {}]
    store = DynamoTraces(client, "table", "index", RETENTION, lambda: START)
    store.commit(scope, Stamp(START, "write"), [birth(scope, "one")])
    assert client.transact_write_items.call_count == 3
    client.transact_write_items.side_effect = cancelled({"Code": code}, {"Code": "ConditionalCheckFailed"})
    with pytest.raises(ConditionFailed):
        store.commit(scope, Stamp(START, "write"), [birth(scope, "one"), birth(scope, "two")])


def birth(scope: Scope, content: str) -> Write:
    trace = Trace(id=key_of(scope, content), content=content, created_at=START, changed_at=START)
    return Write(None, trace)
