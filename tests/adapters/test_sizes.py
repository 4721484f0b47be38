"""What DynamoDB would refuse for its size is refused before."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.adapters.aws import to_dynamodb
from memtools.adapters.table.sizes import (
    ITEM_LIMIT,
    TRANSACTION_LIMIT,
    require_storable,
    size_of_item,
)
from memtools.errors import TooLarge

from tests.strict.sizes import ITEM_BYTES, TRANSACTION_BYTES, LocalIndex, item_size, stored_size

texts = st.text(st.characters(codec="utf-8"), max_size=40)
values = st.recursive(
    texts | st.binary(max_size=40) | st.integers(-(10**20), 10**20) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts.filter(bool), inner, max_size=4),
    max_leaves=12,
)
ALL = LocalIndex(frozenset({"pk", "changedAt"}), None)


@given(st.dictionaries(texts.filter(bool), values, max_size=6))
def test_no_item_is_larger_than_computed(item: dict[str, Any]) -> None:
    """At least what DynamoDB's rules say, and little more: a number may take a few bytes less."""
    exact = item_size(to_dynamodb(item))
    numbers = str(to_dynamodb(item)).count("'N'")
    assert exact <= size_of_item(item) <= exact + 12 * numbers


@pytest.mark.parametrize("text", ["x", "語", "🏳️"])
@pytest.mark.parametrize("over", [0, 1])
def test_an_item_is_measured_with_its_copy_in_the_index(text: str, over: int) -> None:
    """What passes fits DynamoDB even if the index copied everything."""
    keys = {"pk": "a" * 100, "sk": "b" * 100, "changedAt": "2026-12-01T00:00:00.000000Z"}
    room = (ITEM_LIMIT - 2 * size_of_item({**keys, "content": ""})) // 2 // len(text.encode()) + over
    item = {**keys, "content": text * room}
    if over:
        with pytest.raises(TooLarge) as caught:
            require_storable([item])
        assert caught.value.details["size"] > caught.value.details["limit"]
    else:
        require_storable([item])
        assert stored_size(to_dynamodb(item), [ALL]) <= ITEM_BYTES


def test_a_transaction_is_measured_as_a_whole() -> None:
    item = {"pk": "a", "sk": "b", "changedAt": "c", "content": "x" * 100_000}
    most = TRANSACTION_LIMIT // size_of_item(item)
    require_storable([item] * most)
    assert most * item_size(to_dynamodb(item)) <= TRANSACTION_BYTES
    with pytest.raises(TooLarge, match="several calls"):
        require_storable([item] * (most + 1))
