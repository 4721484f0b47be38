"""memory_merge and memory_unmerge: all or nothing, and back again."""

from collections.abc import Callable
from typing import Any

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.errors import Conflict, NotFound, TooLarge

from tests.calls import Caller


def retrieve(caller: Caller, query: str, times: int) -> None:
    for _ in range(times):
        caller.search(query=query, limit=1)


def test_the_most_retrieved_survives_with_everything(ana: Caller) -> None:
    (one,) = ana.remember("walnut allergy", tags=["health"])
    (two,) = ana.remember("Ana eats no nuts", tags=["food", "health"])
    retrieve(ana, "nuts", 2)
    reply = ana.merge(traceIds=[one, two])
    assert (reply["survivorId"], reply["deletedIds"], reply["missingIds"]) == (two, [one], [])
    trace = reply["trace"]
    assert trace["content"] == "walnut allergy | Ana eats no nuts"
    assert trace["tags"] == ["health", "food"]
    assert (trace["retrievalCount"], trace["mergedFrom"], trace["version"]) == (2, [one], 2)
    assert ana.all() == ["walnut allergy | Ana eats no nuts"]


def test_missing_ids_are_named_and_a_merge_needs_two(ana: Caller, bob: Caller) -> None:
    one, two, dead = ana.remember("one", "two", "dead")
    (foreign,) = bob.remember("foreign")
    ana.delete(traceId=dead)
    with pytest.raises(NotFound, match="Found 1 of 4"):
        ana.merge(traceIds=[one, dead, foreign, "mt_none"])
    assert ana.all() == ["two", "one"]
    reply = ana.merge(traceIds=["mt_none", one, dead, two, foreign])
    assert (reply["survivorId"], reply["missingIds"]) == (one, ["mt_none", dead, foreign])
    assert bob.all() == ["foreign"]


def test_the_same_merge_again_answers_the_same(ana: Caller) -> None:
    ids = [*ana.remember("one", "two", "three"), "mt_none"]
    for content in ({}, {"mergedContent": "all"}):
        first = ana.merge(traceIds=ids, **content)
        assert ana.merge(traceIds=ids, **content) == first
        ana.unmerge(survivorId=first["survivorId"])


def test_merging_merged_traces_again_names_their_survivor(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    ana.merge(traceIds=[one, two])
    with pytest.raises(NotFound) as refused:
        ana.merge(traceIds=[one, two], mergedContent="other")
    assert refused.value.details["mergedInto"] == {two: one}


def test_a_merged_content_too_large_changes_nothing(ana: Caller) -> None:
    ids = ana.remember("a" * 40_000, "b" * 40_000)
    with pytest.raises(TooLarge):
        ana.merge(traceIds=ids)
    assert len(ana.all()) == 2


def test_fifty_traces_merge_and_unmerge(ana: Caller) -> None:
    ids = [one["id"] for one in ana.add(facts=[f"fact {number}" for number in range(50)])["saved"]]
    for trace in ids[:30]:
        ana.update(traceId=trace, content=f"changed {trace}")
    before = sorted(ana.all())
    reply = ana.merge(traceIds=ids, mergedContent="fact")
    assert len(reply["trace"]["mergedFrom"]) == 49
    assert ana.all() == ["fact"]
    assert sorted(ana.unmerge(survivorId=ids[0])["restoredIds"]) == sorted(ids[1:])
    assert sorted(ana.all()) == before
    assert ana.add(facts=[f"changed {ids[7]}"])["duplicates"][0]["id"] == ids[7]


def test_a_merge_into_the_text_of_a_source_keeps_every_text_known(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    ana.merge(traceIds=[one, two], mergedContent="Two")
    assert ana.add(facts=["two"])["duplicates"][0]["id"] == one
    assert ana.all() == ["Two"]


def test_an_unmerge_sent_again_claims_nothing_new(ana: Caller) -> None:
    """A2: sent again, the call names what the unmerge brought back, as far as nothing has happened to it since."""
    a, b, c = ana.remember("a", "b", "c")
    ana.merge(traceIds=[a, b, c])
    first = ana.unmerge(survivorId=a)
    assert ana.unmerge(survivorId=a) == first
    ana.delete(traceId=b)
    assert ana.unmerge(survivorId=a)["restoredIds"] == [c]


def test_chains_of_merges_are_undone_step_by_step(ana: Caller) -> None:
    one, two, three, four = ana.remember("one", "two", "three", "four")
    ana.merge(traceIds=[one, two])
    second = ana.merge(traceIds=[three, one], mergedContent="second")
    assert second["survivorId"] == three
    assert second["trace"]["mergedFrom"] == [one, two]
    third = ana.merge(traceIds=[three, four], mergedContent="third")
    assert third["trace"]["mergedFrom"] == [one, two, four]
    assert ana.unmerge(survivorId=three)["trace"]["content"] == "second"
    assert ana.list()["results"][0]["content"] == "four"
    step = ana.unmerge(survivorId=three)
    assert (step["restoredIds"], step["trace"]["content"]) == ([one], "three")
    assert sorted(ana.all()) == ["four", "one | two", "three"]
    assert ana.unmerge(survivorId=one)["restoredIds"] == [two]
    assert sorted(ana.all()) == ["four", "one", "three", "two"]


def test_a_survivor_that_changed_is_no_longer_unmerged_until_it_is_restored(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    ana.merge(traceIds=[one, two])
    ana.update(traceId=one, content="changed")
    with pytest.raises(Conflict) as refused:
        ana.unmerge(survivorId=one)
    assert ana.all() == ["changed"]
    ana.restore(traceId=one, version=refused.value.details["mergeVersion"])
    assert ana.unmerge(survivorId=one)["restoredIds"] == [two]


def test_a_survivor_deleted_and_restored_can_be_unmerged(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    ana.merge(traceIds=[one, two])
    ana.delete(traceId=one)
    with pytest.raises(NotFound):
        ana.unmerge(survivorId=one)
    ana.restore(traceId=one)
    assert ana.unmerge(survivorId=one)["restoredIds"] == [two]


def test_the_error_for_a_source_names_its_survivor(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    ana.merge(traceIds=[one, two])
    with pytest.raises(NotFound, match=one):
        ana.update(traceId=two, content="x")
    versions = ana.history(traceId=two)["versions"]
    assert [(item["change"], item.get("mergedInto")) for item in versions] == [("merged_away", one), ("added", None)]


def test_what_was_never_merged_cannot_be_unmerged(ana: Caller) -> None:
    (one,) = ana.remember("one")
    with pytest.raises(NotFound, match="No memory was merged"):
        ana.unmerge(survivorId=one)


def before_commit(ana: Caller, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen once, between what a call reads and what it commits."""
    plain, done = ana.memory.traces.commit, list[object]()

    def commit(*arguments: Any, **more: Any) -> None:
        if not done:
            done.append(happens())
        plain(*arguments, **more)

    monkeypatch.setattr(ana.memory.traces, "commit", commit)


def test_a_retrieval_during_a_merge_is_counted_and_no_conflict(ana: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = ana.remember("tea one", "tea two")
    before_commit(ana, monkeypatch, lambda: ana.search(query="tea"))
    assert ana.merge(traceIds=[one, two])["trace"]["retrievalCount"] == 2


def test_a_trace_purged_during_a_merge_is_a_conflict(
    fake_memory: Backend, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store may drop an erased trace between two attempts: it is named as changed, and nothing is merged."""
    ana = Caller(fake_memory, scope)
    one, two, three = ana.remember("one", "two", "three")
    traces: Any = fake_memory.traces
    before_commit(ana, monkeypatch, lambda: traces._traces.pop((scope, two)))
    with pytest.raises(Conflict) as refused:
        ana.merge(traceIds=[one, two, three])
    assert refused.value.details["traceIds"] == [two]
    assert ana.all() == ["three", "one"]


def test_a_merge_never_exceeds_the_limit_of_tags(ana: Caller) -> None:
    """FAULTS B7: what a merge makes has to fit what every other tool accepts."""
    ids = [ana.remember(f"fact {number}", tags=[f"{number}-{tag}" for tag in range(26)])[0] for number in range(2)]
    before = ana.list()["results"]
    with pytest.raises(TooLarge) as refused:
        ana.merge(traceIds=ids)
    assert (refused.value.details["size"], refused.value.details["limit"]) == (52, 50)
    assert ana.list()["results"] == before
    ana.update(traceId=ids[0], tags=["kept"])
    assert len(ana.merge(traceIds=ids)["trace"]["tags"]) == 27
