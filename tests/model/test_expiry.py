"""The shortest lives in which the removal of an expired item did harm, each by what it protects."""

from datetime import timedelta
from functools import partial

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.fakes import FakeClock
from tests.model.answers import NOT_FOUND, agree, answer


@pytest.fixture
def ana(strict_memory: Backend, scope: Scope) -> Caller:
    return Caller(strict_memory, scope)


def expiring(ana: Caller, clock: FakeClock, fact: str) -> str:
    """A fact that expires in an hour; its id."""
    (name,) = ana.remember(fact, expiresAt=(clock.now() + timedelta(hours=1)).isoformat())
    return name


def test_a_text_is_known_after_the_trace_born_with_it_expired(ana: Caller, clock: FakeClock) -> None:
    """B5: the item that expires also says that another trace has its text."""
    first, (second,) = expiring(ana, clock, "tea"), ana.remember("coffee")
    ana.update(traceId=first, content="milk")
    ana.update(traceId=second, content="tea")
    clock.advance(timedelta(hours=2))
    assert [one["id"] for one in ana.add(facts=["tea"])["duplicates"]] == [second]
    assert ana.all() == ["tea"]


def test_a_fact_added_after_it_expired_has_one_history(ana: Caller, clock: FakeClock) -> None:
    """B5: the versions begin again at 1 while the former ones are still kept."""
    name = expiring(ana, clock, "tea")
    ana.update(traceId=name, tags=["hot"])
    clock.advance(timedelta(hours=2))
    ana.remember("tea")
    versions = [one["version"] for one in ana.history(traceId=name)["versions"]]
    assert versions == sorted(set(versions), reverse=True)


def test_what_expired_is_gone_from_search_list_and_history(ana: Caller, clock: FakeClock) -> None:
    name = expiring(ana, clock, "tea")
    assert ana.contents("tea") == ana.all() == ["tea"]
    clock.advance(timedelta(hours=2))
    assert ana.contents("tea") == ana.all() == []
    agree(answer(lambda: ana.history(traceId=name)), NOT_FOUND)


def test_a_text_is_known_after_the_deleted_trace_born_with_it_is_purged(ana: Caller, clock: FakeClock) -> None:
    """B5: the claim on a key outlives the tombstone at it, whichever of the two comes first."""
    (first, second, third) = ana.remember("tea", "coffee", "water")
    ana.update(traceId=first, content="milk")
    ana.update(traceId=second, content="tea")
    ana.delete(traceId=first)
    ana.delete(traceId=third)
    ana.update(traceId=second, content="water")
    ana.update(traceId=second, content="tea")
    clock.advance(timedelta(days=400))
    ana.remember("juice")
    assert [one["id"] for one in ana.add(facts=["tea"])["duplicates"]] == [second]
    assert sorted(ana.all()) == ["juice", "tea"]


def test_a_text_is_known_after_it_was_claimed_at_a_deleted_trace_that_is_purged(ana: Caller, clock: FakeClock) -> None:
    """B5: the tombstone is there before the claim, and would take it along."""
    (first, second) = ana.remember("tea", "coffee")
    ana.update(traceId=first, content="milk")
    ana.delete(traceId=first)
    ana.update(traceId=second, content="tea")
    clock.advance(timedelta(days=400))
    assert [one["id"] for one in ana.add(facts=["tea"])["duplicates"]] == [second]


def test_a_deleted_text_is_gone_after_the_retention_though_its_trace_lives_again(ana: Caller, clock: FakeClock) -> None:
    """B4: the history of a trace that was revived tells no version beyond the retention, and restores none."""
    (name,) = ana.remember("tea")
    ana.update(traceId=name, content="a secret")
    ana.delete(traceId=name)
    assert ana.remember("tea") == [name]
    told = ana.history(traceId=name)["versions"]
    assert "a secret" in [one["content"] for one in told]
    clock.advance(timedelta(days=31))
    assert [one["content"] for one in ana.history(traceId=name)["versions"]] == ["tea"]
    for version in range(1, told[0]["version"]):
        agree(answer(partial(ana.restore, traceId=name, version=version)), NOT_FOUND)


def test_merges_and_unmerges_go_on_for_ever(ana: Caller, clock: FakeClock) -> None:
    """B6: whatever the length of tags and texts, an item stays bounded, and every version is told once."""
    tags = [f"{number:02}" + "語" * 98 for number in range(25)]
    names = [*ana.remember("x" * 60_000, tags=tags), *ana.remember("y" * 60_000, tags=tags[::-1])]
    for _ in range(20):
        survivor = ana.merge(traceIds=names, mergedContent="both")["survivorId"]
        assert ana.unmerge(survivorId=survivor)["restoredIds"] == [one for one in names if one != survivor]
    for name in names:
        versions = [one["version"] for one in ana.history(traceId=name, limit=100)["versions"]]
        assert versions == list(range(41, 0, -1))
