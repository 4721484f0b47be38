"""The strict emulator refuses what DynamoDB refuses, in its words, and writes nothing of it."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from memtools.adapters.aws import CONFIG

from local.template import Template
from tests.fakes import START, FakeClock
from tests.strict.emulator import strict_store
from tests.strict.sizes import ITEM_BYTES, LocalIndex, item_size, stored_size

Item = dict[str, Any]


@pytest.mark.parametrize(
    ("item", "size"),
    [
        # The example of the DynamoDB Developer Guide, in "Constraints".
        ({"shirt-color": {"S": "R"}, "shirt-size": {"S": "M"}}, 23),
        ({}, 0),
        ({"ü": {"S": "東京"}}, 2 + 6),
        ({"n": {"N": "27"}}, 1 + 2),
        ({"n": {"N": "0012300"}}, 1 + 3),
        ({"n": {"N": "0"}}, 1 + 1),
        ({"n": {"N": "-1.5"}}, 1 + 3),
        ({"n": {"N": "9" * 38}}, 1 + 20),
        ({"b": {"B": "AAECAw=="}}, 1 + 4),
        ({"t": {"BOOL": True}, "z": {"NULL": True}}, 2 + 2),
        ({"l": {"L": []}}, 1 + 3),
        ({"l": {"L": [{"S": "a"}, {"N": "1"}]}}, 1 + 3 + (1 + 1) + (1 + 2)),
        ({"m": {"M": {}}}, 1 + 3),
        ({"m": {"M": {"ab": {"L": [{"S": "c"}]}}}}, 1 + 3 + (1 + 2 + 3 + (1 + 1))),
        ({"s": {"SS": ["a", "bc"]}}, 1 + 3),
    ],
)
def test_an_item_has_the_documented_size(item: Item, size: int) -> None:
    """Names and values in UTF-8, numbers by their digits, lists and maps with their overhead."""
    assert item_size(item) == size


def test_a_local_index_counts_what_it_copies() -> None:
    """The keys and what is projected, of items that have the index's key."""
    index = LocalIndex(frozenset({"p", "at"}), frozenset({"p", "s", "at", "text"}))
    item = {"p": {"S": "1"}, "s": {"S": "2"}, "text": {"S": "123"}, "more": {"S": "1234"}}
    assert stored_size(item, [index]) == item_size(item) == 2 + 2 + 7 + 8
    assert stored_size(item | {"at": {"S": "3"}}, [index]) == 19 + 3 + (2 + 2 + 7 + 3)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def table(moto: Template, clock: FakeClock) -> Iterator["Table"]:
    template = Template()
    with strict_store(template, clock.now):
        made = Table(boto3.client("dynamodb", config=CONFIG), template.table["Name"])
        yield made
        made.clear()


class Table:
    """One partition of the table, as these tests write to it."""

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.name = name

    @staticmethod
    def key(row: str) -> Item:
        return {"pk": {"S": "strict"}, "sk": {"S": row}}

    def item(self, row: str, size: int, **attributes: Any) -> Item:
        """An item of this size."""
        item = {**self.key(row), **attributes, "x": {"S": ""}}
        return {**item, "x": {"S": "x" * (size - item_size(item))}}

    def put(self, item: Item) -> None:
        self.client.put_item(TableName=self.name, Item=item)

    def action(self, row: str, length: int) -> Item:
        """An update that makes ``x`` so long."""
        return {
            "TableName": self.name,
            "Key": self.key(row),
            "UpdateExpression": "SET x = :x",
            "ExpressionAttributeValues": {":x": {"S": "x" * length}},
        }

    def transact(self, *actions: Item) -> None:
        self.client.transact_write_items(TransactItems=list(actions))

    def rows(self) -> dict[str, Item]:
        query = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "strict"}}}
        pages = self.client.get_paginator("query").paginate(TableName=self.name, ConsistentRead=True, **query)
        return {item["sk"]["S"]: item for page in pages for item in page["Items"]}

    def clear(self) -> None:
        for row in self.rows():
            self.client.delete_item(TableName=self.name, Key=self.key(row))


def refusal(call: Any) -> tuple[str, str]:
    """The code and the message with which a call is refused."""
    with pytest.raises(ClientError) as refused:
        call()
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def test_an_item_expires_whole_when_its_second_is_over(table: Table, clock: FakeClock) -> None:
    """By the attribute that the template names, if it is a number, and not if it is years ago."""
    now = int(START.timestamp())
    for row, ends in {"soon": {"N": str(now + 60)}, "text": {"S": str(now + 60)}, "old": {"N": "1000"}}.items():
        table.put({**table.key(row), "purgeAt": ends, "claimedBy": {"SS": ["a"]}})
    table.put(table.key("never"))
    clock.advance(timedelta(seconds=59))
    assert "soon" in table.rows()
    clock.advance(timedelta(seconds=1))
    assert table.rows().keys() == {"text", "old", "never"}


def test_an_item_of_400_kb_is_put_and_none_larger(table: Table) -> None:
    table.put(table.item("full", ITEM_BYTES))
    over = table.item("over", ITEM_BYTES + 1)
    too_large = ("ValidationException", "Item size has exceeded the maximum allowed size")
    assert refusal(lambda: table.put(over)) == too_large
    assert refusal(lambda: table.transact({"Put": {"TableName": table.name, "Item": over}})) == too_large
    batch = {table.name: [{"PutRequest": {"Item": over}}]}
    assert refusal(lambda: table.client.batch_write_item(RequestItems=batch)) == too_large
    assert table.rows().keys() == {"full"}


def test_an_update_beyond_400_kb_changes_nothing(table: Table) -> None:
    """Alone it is invalid, in a transaction it cancels all of it."""
    table.put(table.item("a", 1000))
    before = table.rows()
    over, message = table.action("a", ITEM_BYTES), "Item size to update has exceeded the maximum allowed size"
    assert refusal(lambda: table.client.update_item(**over)) == ("ValidationException", message)
    with pytest.raises(ClientError) as refused:
        table.transact({"Update": table.action("b", 10)}, {"Update": over})
    assert refused.value.response["Error"] == {
        "Code": "TransactionCanceledException",
        "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons"
        " [None, ValidationError]",
    }
    reasons = refused.value.response["CancellationReasons"]
    assert reasons == [{"Code": "None"}, {"Code": "ValidationError", "Message": message}]
    assert table.rows() == before


def test_an_item_and_its_copy_in_the_local_index_share_400_kb(table: Table) -> None:
    """``content`` is copied, ``x`` is not; without the index's key nothing is."""
    content = {"content": {"S": "c" * 250_000}}
    table.put({**table.key("out"), **content})
    table.put({**table.key("in"), "changedAt": {"S": "1"}, "x": content["content"]})
    over = {**table.key("both"), "changedAt": {"S": "1"}, **content}
    assert refusal(lambda: table.put(over))[0] == "ValidationException"
    assert table.rows().keys() == {"out", "in"}


def test_a_transaction_has_at_most_100_actions_and_4_mb(table: Table) -> None:
    table.transact(*({"Update": table.action(str(number), 40_000)} for number in range(100)))
    assert len(table.rows()) == 100
    many = [{"Update": table.action(str(number), 10)} for number in range(101)]
    assert refusal(lambda: table.transact(*many))[0] == "ValidationException"
    large = [{"Update": table.action(str(number), 300_000)} for number in range(14)]
    assert refusal(lambda: table.transact(*large))[0] == "ValidationException"
    assert {len(item["x"]["S"]) for item in table.rows().values()} == {40_000}


def test_a_transaction_has_an_item_once(table: Table) -> None:
    check = {"TableName": table.name, "Key": table.key("a"), "ConditionExpression": "attribute_not_exists(pk)"}
    twice = [{"Update": table.action("a", 10)}, {"ConditionCheck": check}]
    message = "Transaction request cannot include multiple operations on one item"
    assert refusal(lambda: table.transact(*twice)) == ("ValidationException", message)
    assert table.rows() == {}


def test_a_batch_has_at_most_25_writes_and_100_reads(table: Table) -> None:
    keys = [table.key(str(number)) for number in range(101)]
    puts = [{"PutRequest": {"Item": key}} for key in keys]
    for batch in (puts[:26], [puts[0], puts[0]]):
        write = partial(table.client.batch_write_item, RequestItems={table.name: batch})
        assert refusal(write)[0] == "ValidationException"
    assert table.rows() == {}
    read = {table.name: {"Keys": keys}}
    assert refusal(lambda: table.client.batch_get_item(RequestItems=read))[0] == "ValidationException"
