"""What every TraceStore does; run against the fake and against DynamoDB on moto."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from memtools.backend import Backend
from memtools.current_call import Metric, running_call
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, MergeRecord, Stamp, Status, Trace, key_of
from memtools.domain.versions import as_past, carrying, deleted, updated
from memtools.ports import ConditionFailed, StillSays, TraceStore, Write

from tests.fakes import START

RETENTION = timedelta(days=30)
ODD_TEXTS = ["plain", " spaced\t", "naïve ☕ 東京 🏳️‍🌈", "a\nb\r\nc", "\u0000", "x" * 60_000, '{"json": 1}', "'\"\\$&"]


@pytest.fixture
def store(memory: Backend) -> TraceStore:
    return memory.traces


def stamp(number: int) -> Stamp:
    return Stamp(START + timedelta(seconds=number), f"write-{number}")


def birth(scope: Scope, content: str, number: int = 1) -> Trace:
    now = stamp(number).now
    return Trace(
        id=key_of(scope, content), content=content, created_at=now, changed_at=now, writes=(stamp(number).write,)
    )


def born(store: TraceStore, scope: Scope, content: str, number: int = 1) -> Trace:
    trace = birth(scope, content, number)
    store.commit(scope, stamp(number), [Write(None, trace)])
    return trace


def step(store: TraceStore, scope: Scope, before: Trace, after: Trace, number: int) -> None:
    store.commit(scope, stamp(number), [Write(before, after)])


@pytest.mark.parametrize("content", ODD_TEXTS)
def test_what_was_stored_is_what_is_read(store: TraceStore, scope: Scope, content: str) -> None:
    trace = replace(
        birth(scope, content),
        tags=("a", "ü b"),
        occurred_at=START,
        expires_at=START + timedelta(days=4000),
        embedding=Embedding("model", bytes(range(256))),
        merged_from=("mt_1", "mt_2"),
        merge=MergeRecord(("mt_1",), 1, 2, "call"),
        reason="because",
    )
    store.commit(scope, stamp(1), [Write(None, trace)])
    assert store.get(scope, [trace.id]) == {trace.id: trace}


def test_an_empty_vector_is_not_a_missing_one(store: TraceStore, scope: Scope) -> None:
    """The model has seen the text and did not understand it. So it is not asked again."""
    trace = replace(birth(scope, "чай"), embedding=Embedding("model", b""))
    store.commit(scope, stamp(1), [Write(None, trace)])
    assert store.get(scope, [trace.id])[trace.id].embedding == Embedding("model", b"")
    (changed,) = store.changes(scope, None)
    assert changed.embedding == Embedding("model", b"")


def test_a_trace_is_absent_from_every_other_scope(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "mine")
    for other in (Scope(scope.agent, "bob"), Scope("x" + scope.agent, scope.user), Scope(scope.agent, "an")):
        assert store.get(other, [trace.id]) == {}
        assert list(store.changes(other, None)) == []
        assert list(store.history(other, trace.id, START)) == []
        assert store.retrieve(other, {trace.id: 1}, START) == {}


def test_a_taken_key_is_told_with_what_stands_there_and_nothing_is_written(store: TraceStore, scope: Scope) -> None:
    standing = born(store, scope, "first")
    with pytest.raises(ConditionFailed) as failed:
        store.commit(scope, stamp(2), [Write(None, birth(scope, "second", 2)), Write(None, birth(scope, "first", 2))])
    assert {name: occupant.trace for name, occupant in failed.value.found.items()} == {standing.id: standing}
    assert store.get(scope, [key_of(scope, "second")]) == {}


def test_a_stale_version_is_told_and_nothing_of_the_commit_is_written(store: TraceStore, scope: Scope) -> None:
    one, other = born(store, scope, "one"), born(store, scope, "other")
    newer = updated(one, "one, newer", (), None, stamp(2))
    step(store, scope, one, newer, 2)
    with pytest.raises(ConditionFailed) as failed:
        store.commit(
            scope,
            stamp(3),
            [
                Write(other, updated(other, "changed", (), None, stamp(3))),
                Write(one, updated(one, "stale", (), None, stamp(3))),
            ],
        )
    assert failed.value.found[one.id].trace == newer
    assert store.get(scope, [one.id, other.id]) == {one.id: newer, other.id: other}


def test_a_replaced_version_is_in_the_history_until_the_retention_is_over(store: TraceStore, scope: Scope) -> None:
    first = born(store, scope, "first")
    second = updated(first, "second", ("t",), None, stamp(2))
    third = deleted(second, "why", stamp(3), RETENTION)
    step(store, scope, first, second, 2)
    step(store, scope, second, third, 3)
    assert list(store.history(scope, first.id, START)) == [as_past(second), first]
    assert list(store.history(scope, first.id, stamp(2).now + RETENTION)) == [as_past(second)]


def test_versions_sort_as_numbers_in_the_history(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "0")
    for number in range(2, 13):
        after = updated(trace, str(number), (), None, stamp(number))
        step(store, scope, trace, after, number)
        trace = after
    assert [one.version for one in store.history(scope, trace.id, START)] == list(range(11, 0, -1))


def test_a_version_carried_inside_gets_no_history_item(store: TraceStore, scope: Scope) -> None:
    first = born(store, scope, "first")
    after = carrying(deleted(first, None, stamp(2), RETENTION), first)
    step(store, scope, first, after, 2)
    assert list(store.history(scope, first.id, START)) == []
    assert store.get(scope, [first.id])[first.id].inline_history == (first,)


def test_a_version_carried_inside_keeps_its_own_spelling(store: TraceStore, scope: Scope) -> None:
    first = born(store, scope, "First")
    after = carrying(updated(first, "FIRST", (), None, stamp(2)), first)
    step(store, scope, first, after, 2)
    stored = store.get(scope, [first.id])[first.id]
    assert (stored.content, stored.inline_history[0].content) == ("FIRST", "First")


def test_changes_are_those_since_then_oldest_first_tombstones_too(store: TraceStore, scope: Scope) -> None:
    one, two, three = (born(store, scope, text, number) for number, text in ((1, "one"), (2, "two"), (3, "three")))
    step(store, scope, one, deleted(one, None, stamp(4), RETENTION), 4)
    assert [trace.id for trace in store.changes(scope, None)] == [two.id, three.id, one.id]
    assert [trace.id for trace in store.changes(scope, stamp(3).now)] == [three.id, one.id]
    assert [trace.status for trace in store.changes(scope, stamp(4).now)] == [Status.DELETED]


def test_changes_go_through_all_pages(store: TraceStore, scope: Scope) -> None:
    for number in range(1, 31):
        born(store, scope, f"{number} " + "x" * 50_000, number)
    assert [trace.content.split()[0] for trace in store.changes(scope, None)] == [str(n) for n in range(1, 31)]


def test_a_retrieval_is_counted_once_and_moves_neither_version_nor_order(store: TraceStore, scope: Scope) -> None:
    one = born(store, scope, "one", 1)
    born(store, scope, "two", 2)
    counted = store.retrieve(scope, {one.id: 1}, stamp(9).now)[one.id]
    assert (counted.retrieval_count, counted.last_retrieved_at, counted.version) == (1, stamp(9).now, 1)
    assert store.get(scope, [one.id])[one.id] == counted
    assert [trace.content for trace in store.changes(scope, None)] == ["one", "two"]


def test_what_is_gone_dead_expired_or_changed_is_returned_but_not_counted(store: TraceStore, scope: Scope) -> None:
    dead, changed = born(store, scope, "dead"), born(store, scope, "changed")
    expiring = replace(birth(scope, "expiring"), expires_at=stamp(5).now)
    store.commit(scope, stamp(1), [Write(None, expiring)])
    step(store, scope, dead, deleted(dead, None, stamp(2), RETENTION), 2)
    step(store, scope, changed, updated(changed, "new", (), None, stamp(2)), 2)
    expected = {dead.id: 2, changed.id: 1, expiring.id: 1, "mt_none": 1}
    current = store.get(scope, list(expected))
    assert store.retrieve(scope, expected, stamp(5).now) == current
    assert current.keys() == {dead.id, changed.id, expiring.id}
    assert all(one.retrieval_count == 0 for one in store.get(scope, list(expected)).values())


def test_a_change_made_from_a_stale_count_keeps_the_retrievals(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "one")
    for _ in range(3):
        store.retrieve(scope, {trace.id: 1}, stamp(2).now)
    after = replace(updated(trace, "two", (), None, stamp(3)), retrieval_count=trace.retrieval_count + 4)
    step(store, scope, trace, after, 3)
    stored = store.get(scope, [trace.id])[trace.id]
    assert (stored.retrieval_count, stored.last_retrieved_at) == (7, stamp(2).now)


def test_a_text_that_another_trace_took_on_is_found_at_its_key(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "old")
    step(store, scope, trace, updated(trace, "new", (), None, stamp(2)), 2)
    with pytest.raises(ConditionFailed) as failed:
        store.commit(scope, stamp(3), [Write(None, birth(scope, "new", 3))])
    assert failed.value.found[key_of(scope, "new")].claimed_by == (trace.id,)
    assert failed.value.found[key_of(scope, "new")].trace is None


def test_a_text_given_up_again_is_free(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "old")
    middle = updated(trace, "new", (), None, stamp(2))
    step(store, scope, trace, middle, 2)
    step(store, scope, middle, updated(middle, "newest", (), None, stamp(3)), 3)
    born(store, scope, "new", 4)
    assert key_of(scope, "new") in store.get(scope, [key_of(scope, "new")])


def test_a_birth_beside_a_holder_is_possible_when_it_is_asked_for(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "old")
    step(store, scope, trace, updated(trace, "new", (), None, stamp(2)), 2)
    store.commit(scope, stamp(3), [Write(None, birth(scope, "new", 3), claimed_by=(trace.id,))])
    assert store.get(scope, [key_of(scope, "new")])[key_of(scope, "new")].content == "new"


def test_of_two_that_take_a_spare_place_beside_the_same_trace_one_is_told_of_the_other(
    store: TraceStore, scope: Scope
) -> None:
    trace = born(store, scope, "old")
    step(store, scope, trace, updated(trace, "new", (), None, stamp(2)), 2)
    one, other = (replace(birth(scope, "old", number), id=f"{trace.id}-{number}") for number in (3, 4))
    store.commit(scope, stamp(3), [Write(None, one)])
    with pytest.raises(ConditionFailed) as failed:
        store.commit(scope, stamp(4), [Write(None, other)])
    assert failed.value.found[trace.id].claimed_by == (one.id,)
    assert store.get(scope, [other.id]) == {}
    store.commit(scope, stamp(4), [Write(None, other, claimed_by=(one.id,))])


def test_a_trace_retrieved_meanwhile_stops_a_commit_that_counts_on_it(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "one")
    store.retrieve(scope, {trace.id: 1}, stamp(2).now)
    with pytest.raises(ConditionFailed):
        store.commit(scope, stamp(3), [Write(trace, updated(trace, "two", (), None, stamp(3)), counted=True)])
    fresh = store.get(scope, [trace.id])[trace.id]
    store.commit(scope, stamp(3), [Write(fresh, updated(fresh, "two", (), None, stamp(3)), counted=True)])


def test_a_commit_holds_only_while_its_conditions_do(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "Old  text")
    store.commit(scope, stamp(2), [Write(None, birth(scope, "second", 2))], [StillSays(trace.id, "old text")])
    step(store, scope, trace, updated(trace, "new", (), None, stamp(3)), 3)
    with pytest.raises(ConditionFailed) as failed:
        store.commit(scope, stamp(4), [Write(None, birth(scope, "third", 4))], [StillSays(trace.id, "old text")])
    assert list(failed.value.found) == [trace.id]
    assert store.get(scope, [key_of(scope, "third")]) == {}


def test_a_condition_may_be_about_a_trace_that_the_commit_touches_too(store: TraceStore, scope: Scope) -> None:
    trace = born(store, scope, "one")
    second = updated(trace, "two", (), None, stamp(2))
    step(store, scope, trace, second, 2)
    spare = replace(birth(scope, "one", 3), id=trace.id + "-spare")
    store.commit(scope, stamp(3), [Write(None, spare)], [StillSays(trace.id, "two")])
    assert set(store.get(scope, [trace.id, spare.id])) == {trace.id, spare.id}


def test_a_hundred_facts_go_into_one_commit(store: TraceStore, scope: Scope) -> None:
    facts = [birth(scope, f"fact {number}", number) for number in range(1, 101)]
    store.commit(scope, stamp(1), [Write(None, fact) for fact in facts])
    assert len(store.get(scope, [fact.id for fact in facts])) == 100


def test_hits_that_cannot_be_counted_are_read_all_the_same(moto_memory: Backend, scope: Scope) -> None:
    """FAULTS A11: the count is denied or throttled, and the search answers."""
    store: Any = moto_memory.traces
    trace, other = born(store, scope, "tea"), born(store, scope, "coffee", 2)

    def denied(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "UpdateItem")

    store._client.meta.events.register("before-call.dynamodb.UpdateItem", denied)
    with running_call() as counts:
        assert store.retrieve(scope, {trace.id: 1, other.id: 2}, stamp(3).now) == {trace.id: trace, other.id: other}
    assert counts == {Metric.RETRIEVAL_UNCOUNTED: 1}
