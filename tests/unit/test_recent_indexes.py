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


def test_cached_returns_what_was_kept() -> None:
    recent = recent_indexes()
    known = CachedIndex(Index.empty("m"), NOW, NOW, "tag")
    recent.keep(scope(1), known)
    assert recent.cached(scope(1)) is known


def test_scopes_have_separate_indexes() -> None:
    recent = recent_indexes()
    recent.keep(Scope("agent", "maria"), of_size(1))
    for other in (Scope("agent", "Maria"), Scope("other", "maria"), Scope("maria", "agent")):
        assert recent.cached(other) is None


def test_a_second_index_of_a_scope_replaces_the_first() -> None:
    recent = recent_indexes(10)
    recent.keep(scope(0), of_size(4))
    newer = of_size(5)
    for known in (of_size(6), of_size(6), newer):
        recent.keep(scope(1), known)
    assert recent.cached(scope(1)) is newer
    assert kept(recent, 2) == [0, 1]


def test_the_scope_used_longest_ago_is_forgotten_first() -> None:
    recent = recent_indexes(3)
    for number in range(3):
        recent.keep(scope(number), of_size(1))
    assert recent.cached(scope(0))
    recent.keep(scope(1), of_size(1))
    recent.keep(scope(3), of_size(1))
    assert kept(recent, 4) == [0, 1, 3]


def test_indexes_may_take_exactly_the_limit() -> None:
    recent = recent_indexes(10)
    for number, size in enumerate((3, 3, 4)):
        recent.keep(scope(number), of_size(size))
    assert kept(recent, 3) == [0, 1, 2]
    recent.keep(scope(3), of_size(1))
    assert kept(recent, 4) == [1, 2, 3]


def test_an_index_that_grows_evicts_others() -> None:
    recent = recent_indexes(10)
    for number in range(5):
        recent.keep(scope(number), of_size(2))
    recent.keep(scope(0), of_size(5))
    assert kept(recent, 5) == [0, 3, 4]


def test_the_last_index_stays_even_if_it_is_too_large() -> None:
    recent = recent_indexes(10)
    for number in range(3):
        recent.keep(scope(number), of_size(5))
    recent.keep(scope(7), of_size(500))
    assert kept(recent, 8) == [7]
    recent.keep(scope(1), of_size(1))
    assert kept(recent, 8) == [1]


def test_a_dropped_index_takes_no_room() -> None:
    recent = recent_indexes(10)
    for number in range(2):
        recent.keep(scope(number), of_size(5))
    recent.drop(scope(1))
    recent.drop(scope(9))
    recent.keep(scope(2), of_size(5))
    assert kept(recent, 10) == [0, 2]


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


@given(steps=st.lists(st.tuples(st.sampled_from("gpd"), st.integers(0, 5), st.integers(0, 12)), max_size=30))
def test_the_most_recently_used_that_fit_are_kept(steps: list[tuple[str, int, int]]) -> None:
    recent = recent_indexes(20)
    order: list[int] = []
    sizes: dict[int, int] = {}
    for what, number, size in steps:
        if what == "g":
            assert (recent.cached(scope(number)) is not None) == (number in order)
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


def test_two_caches_share_nothing() -> None:
    one, other = recent_indexes(), recent_indexes()
    one.keep(scope(1), of_size(1))
    assert other.cached(scope(1)) is None


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


@pytest.mark.parametrize("limit", [0, 1])
def test_with_almost_no_room_the_last_index_is_kept(limit: int) -> None:
    recent = recent_indexes(limit)
    for number in range(3):
        recent.keep(scope(number), of_size(2))
    assert kept(recent, 3) == [2]
