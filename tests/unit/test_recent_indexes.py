"""The indexes kept in this process's memory."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools.freshness.indexes import CachedIndex, Indexes
from memtools.ranking.index import Index

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Sized:
    """Stands for an index of so many bytes."""

    size: int


def of_size(size: int) -> CachedIndex:
    return CachedIndex(cast("Index", Sized(size)), NOW)


def scope(number: int) -> Scope:
    return Scope("agent", f"user-{number}")


def recent_indexes(limit: int = 192 * MEGABYTE) -> Indexes:
    """Only the cache is used, so no port is needed."""
    none: Any = None
    return Indexes(traces=none, segments=none, embedder=none, now=none, retention=none, limit=limit)


def kept(recent: Indexes, count: int) -> list[int]:
    """Which scopes are known; asking makes them recent, the highest the most."""
    return [number for number in range(count) if recent.cached(scope(number))]


def test_a_bound_is_set_that_leaves_room_in_a_function() -> None:
    recent = recent_indexes()
    for number in range(100):
        recent.keep(scope(number), of_size(10 * MEGABYTE))
    assert 5 <= len(kept(recent, 100)) <= 50


def test_an_index_counts_with_all_its_arrays() -> None:
    index = Index.empty("m")
    recent = recent_indexes(2 * index.size)
    for number in range(3):
        recent.keep(scope(number), CachedIndex(index))
    assert index.size > 0
    assert kept(recent, 3) == [1, 2]


@given(steps=st.lists(st.tuples(st.sampled_from("gpd"), st.integers(0, 5), st.integers(0, 24)), max_size=30))
def test_the_most_recently_used_that_fit_are_kept(steps: list[tuple[str, int, int]]) -> None:
    """Each as it was kept last; the last one even if it is larger than the limit."""
    recent = recent_indexes(20)
    order: list[int] = []
    sizes: dict[int, int] = {}
    for what, number, size in steps:
        if what == "g":
            known = recent.cached(scope(number))
            assert (known.index.size if known else None) == (sizes[number] if number in order else None)
        elif what == "p":
            recent.keep(scope(number), of_size(size))
            sizes[number] = size
        else:
            recent.drop(scope(number))
        if what != "g" or number in order:
            order = [one for one in order if one != number] + [number] * (what != "d")
        while sum(sizes[one] for one in order) > 20 and len(order) > 1:
            order.pop(0)
    assert kept(recent, 6) == sorted(order)


@pytest.mark.long
def test_threads_may_use_it_at_the_same_time() -> None:
    recent = recent_indexes(8)
    barrier = threading.Barrier(8)

    def use(seed: int) -> Any:
        barrier.wait()
        for number in range(3000):
            one = scope((seed * 7 + number * 5) % 24)
            if number % 3 == 0:
                recent.keep(one, of_size(1 + number % 3))
            elif known := recent.cached(one):
                assert replace(known).read_at == NOW
            if number % 50 == 0:
                recent.drop(one)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
    left = kept(recent, 24)
    assert sum(cast("CachedIndex", recent.cached(scope(number))).index.size for number in left) <= 8
