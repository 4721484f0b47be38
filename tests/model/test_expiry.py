"""The shortest lives in which the removal of an expired item did harm, each by what it protects."""

from datetime import timedelta

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope

from tests.calls import Caller
from tests.fakes import FakeClock
from tests.model.answers import NOT_FOUND, agree, answer

# What guards a promise must not expire. Delete the mark, and the constant in the traces' machine, with the fault.
fault = pytest.mark.xfail(strict=True)


@pytest.fixture
def ana(strict_memory: Backend, scope: Scope) -> Caller:
    return Caller(strict_memory, scope)


def expiring(ana: Caller, clock: FakeClock, fact: str) -> str:
    """A fact that expires in an hour; its id."""
    (name,) = ana.remember(fact, expiresAt=(clock.now() + timedelta(hours=1)).isoformat())
    return name


@fault
def test_a_text_is_known_after_the_trace_born_with_it_expired(ana: Caller, clock: FakeClock) -> None:
    """B5: the item that expires also says that another trace has its text."""
    first, (second,) = expiring(ana, clock, "tea"), ana.remember("coffee")
    ana.update(traceId=first, content="milk")
    ana.update(traceId=second, content="tea")
    clock.advance(timedelta(hours=2))
    assert [one["id"] for one in ana.add(facts=["tea"])["duplicates"]] == [second]
    assert ana.all() == ["tea"]


@fault
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
