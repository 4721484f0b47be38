"""memory_duplicates: what likely says the same, ready to be merged."""

from dataclasses import replace
from datetime import timedelta

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.embedding.none import NoEmbedder
from memtools.errors import InvalidArguments

from tests.calls import Caller
from tests.fakes import FakeClock


def contents(ana: Caller, **arguments: object) -> list[list[str]]:
    return [[one["content"] for one in group["traces"]] for group in ana.duplicates(**arguments)["groups"]]


def test_near_duplicates_are_found_the_most_alike_first(ana: Caller) -> None:
    ana.remember(
        "Maya plays the oboe in an orchestra",
        "Maya takes oat milk in her coffee",
        "Maya plays the oboe in the city orchestra",
        "The car is in the garage",
        "Maya takes oat milk in her morning coffee at home",
    )
    assert contents(ana, threshold=0.5) == [
        ["Maya plays the oboe in an orchestra", "Maya plays the oboe in the city orchestra"],
        ["Maya takes oat milk in her coffee", "Maya takes oat milk in her morning coffee at home"],
    ]


def test_a_group_can_be_handed_to_a_merge_as_it_is(ana: Caller) -> None:
    ana.remember("likes green tea", "likes green tea a lot", "plays chess")
    (group,) = ana.duplicates(threshold=0.5)["groups"]
    merged = ana.merge(traceIds=group["traceIds"], mergedContent="likes green tea a lot")
    assert merged["survivorId"] in group["traceIds"]
    assert contents(ana, threshold=0.5) == []
    ana.unmerge(survivorId=merged["survivorId"])
    assert contents(ana, threshold=0.5) == [["likes green tea", "likes green tea a lot"]]


def test_each_two_of_a_group_are_alike(ana: Caller) -> None:
    """No chains: that A is like B, and B like C, makes no group of the three."""
    ana.remember("red apple", "red apple pie recipe", "pie recipe")
    (group,) = contents(ana, threshold=0.4)
    assert len(group) == 2
    assert "red apple pie recipe" in group


def test_a_trace_is_in_one_group_only(ana: Caller) -> None:
    ana.remember(*(f"likes tea with {what}" for what in ("milk", "sugar", "honey", "lemon", "mint")))
    ids = [name for group in ana.duplicates(threshold=0.2)["groups"] for name in group["traceIds"]]
    assert len(ids) == len(set(ids)) > 0


def test_texts_with_nothing_in_common_are_no_duplicates(ana: Caller) -> None:
    ana.remember("plays chess", "likes tea", "lives in Porto")
    assert ana.duplicates() == {"groups": []}


def test_dead_traces_and_old_texts_are_not_compared(ana: Caller) -> None:
    first, second, third = ana.remember("likes green tea", "likes green tea a lot", "likes green tea so much")
    ana.delete(traceId=second)
    ana.update(traceId=third, content="plays the oboe")
    assert contents(ana, threshold=0.3) == []
    ana.restore(traceId=second)
    assert [group["traceIds"] for group in ana.duplicates(threshold=0.3)["groups"]] == [[first, second]]


def test_expired_traces_are_not_compared(fake_memory: Backend, scope: Scope, clock: FakeClock) -> None:
    ana = Caller(fake_memory, scope)
    ana.remember("likes green tea")
    ana.remember("likes green tea a lot", expiresAt=(clock.now() + timedelta(hours=1)).isoformat())
    assert len(contents(ana, threshold=0.5)) == 1
    clock.advance(timedelta(hours=2))
    assert contents(ana, threshold=0.5) == []


def test_other_users_memories_are_never_compared(memory: Backend, scope: Scope) -> None:
    ana, bob = Caller(memory, scope), Caller(memory, Scope(scope.agent, "bob"))
    ana.remember("likes green tea")
    bob.remember("likes green tea a lot")
    assert contents(ana, threshold=0) == contents(bob, threshold=0) == []


def test_the_limit_counts_groups(ana: Caller) -> None:
    for what in ("tea", "cake", "soup"):
        ana.remember(f"Maya likes {what} with {what}", f"Maya likes {what} so much")
    assert len(contents(ana, threshold=0.3, limit=2)) == 2


def test_a_higher_threshold_finds_some_of_the_same(ana: Caller) -> None:
    ana.remember("likes green tea", "likes green tea a lot", "plays the oboe", "plays the oboe in an orchestra of ten")
    all_scores = [group["score"] for group in ana.duplicates(threshold=0.1)["groups"]]
    assert all_scores == sorted(all_scores, reverse=True)
    assert len(ana.duplicates(threshold=all_scores[0])["groups"]) == 1


def test_without_a_model_the_words_count_alone(fake_memory: Backend, scope: Scope) -> None:
    ana = Caller(replace(fake_memory, embedder=NoEmbedder()), scope)
    ana.remember("likes green tea", "likes green tea a lot", "plays chess")
    assert contents(ana, threshold=0.7) == [["likes green tea", "likes green tea a lot"]]


def test_it_changes_nothing_and_counts_no_retrieval(ana: Caller) -> None:
    ana.remember("likes green tea", "likes green tea a lot")
    before = ana.list()
    ana.duplicates()
    assert ana.list() == before


@pytest.mark.parametrize("given", [{"threshold": -0.1}, {"threshold": 1.1}, {"threshold": "high"}, {"limit": 0}])
def test_bad_arguments_are_named(ana: Caller, given: dict[str, object]) -> None:
    with pytest.raises(InvalidArguments, match=next(iter(given))):
        ana.duplicates(**given)
