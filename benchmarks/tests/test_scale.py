"""Calls are counted as AWS bills them, and as a client waits for them."""

from typing import Any

import pytest

from benchmarks.scale import PRICES, usd_per_million
from benchmarks.scaling.counted import Counted, item_bytes


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"pk": {"S": "é"}}, 4),
        ({"n": {"N": "-1234.5"}}, 1 + 4),
        ({"n": {"N": "7"}}, 1 + 2),
        ({"b": {"B": b"\0" * 384}}, 385),
        ({"flag": {"BOOL": True}, "nil": {"NULL": True}}, 4 + 1 + 3 + 1),
        ({"l": {"L": [{"S": "ab"}, {"S": "c"}]}}, 1 + 3 + (1 + 2) + (1 + 1)),
        ({"m": {"M": {"k": {"S": "ab"}}}}, 1 + 3 + 1 + 1 + 2),
        ({"s": {"SS": ["ab", "c"]}}, 1 + 3),
    ],
)
def test_an_items_size_is_that_of_its_names_and_values(item: dict[str, Any], size: int) -> None:
    assert item_bytes(item) == size


@pytest.mark.parametrize(
    ("spans", "waited"),
    [
        ([], 0),
        ([(0, 1), (2, 3)], 2),
        ([(0, 5), (1, 2), (4, 6)], 1),
        ([(0, 1), (2, 4), (2, 9), (3, 5)], 2),
        ([(2, 3), (0, 1)], 2),
    ],
)
def test_calls_that_overlap_are_waited_for_once(spans: list[tuple[float, float]], waited: int) -> None:
    counted = Counted(calls=[("Query", start, end) for start, end in spans])
    assert counted.round_trips == waited


def test_every_part_of_a_search_has_its_price() -> None:
    nothing = {"read_units": 0, "write_units": 0, "warm_ms_p50": 0, "embed_ms_p50": 0, "sequential_round_trips": 0}
    least = usd_per_million(nothing)
    assert least == pytest.approx(1e6 * PRICES["call"])
    for name in nothing:
        assert usd_per_million({**nothing, name: 1}) > least
