"""A trace: its life, its key, its size."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from memtools.domain.scope import Scope
from memtools.domain.trace import (
    CALL_LIMIT,
    FACT_LIMIT,
    Embedding,
    Stamp,
    Status,
    Trace,
    key_of,
    require_fitting,
    spare_id,
)
from memtools.errors import TooLarge

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE = Scope("agent", "maria")
TRACE = Trace(
    id="mt_1",
    content="Likes tea",
    created_at=NOW,
    changed_at=NOW,
    tags=("food",),
    retrieval_count=3,
    embedding=Embedding("m", b"\x01"),
    writes=("write-1",),
)


# Life and death


def test_a_trace_expires_at_the_moment_named() -> None:
    trace = replace(TRACE, expires_at=NOW)
    assert trace.alive(NOW - timedelta(microseconds=1))
    assert not trace.alive(NOW)
    assert trace.live
    assert TRACE.alive(datetime.max.replace(tzinfo=UTC))


@pytest.mark.parametrize("status", [Status.DELETED, Status.MERGED])
def test_the_dead_are_neither_live_nor_alive(status: Status) -> None:
    trace = replace(TRACE, status=status, expires_at=NOW + timedelta(days=30))
    assert not trace.live
    assert not trace.alive(NOW)


def test_a_trace_happened_when_it_occurred_else_at_creation() -> None:
    assert TRACE.when == NOW
    assert replace(TRACE, occurred_at=NOW - timedelta(days=400)).when == NOW - timedelta(days=400)


# Keys


def test_the_same_fact_meets_the_same_key() -> None:
    assert key_of(SCOPE, " likes\nTEA ") == key_of(SCOPE, "Likes tea")
    assert TRACE.says(" likes\nTEA ")


def test_another_fact_or_another_scope_has_another_key() -> None:
    keys = {
        key_of(SCOPE, "Likes tea"),
        key_of(SCOPE, "Likes teas"),
        key_of(Scope("agent", "Maria"), "Likes tea"),
        key_of(Scope("other", "maria"), "Likes tea"),
    }
    assert len(keys) == 4
    assert not TRACE.says("Likes teas")


def test_a_key_is_short_and_tells_nothing() -> None:
    key = key_of(SCOPE, "Likes tea " * 1000)
    assert key.startswith("mt_")
    assert len(key) == 35


def test_spare_ids_are_distinct() -> None:
    key = key_of(SCOPE, "Likes tea")
    spares = {spare_id(key, Stamp(NOW, "write-1")), spare_id(key, Stamp(NOW, "write-2"))}
    assert len(spares) == 2
    assert all(spare.startswith(key + "-") and len(spare) <= 100 for spare in spares)


# Sizes


def test_a_fact_may_be_as_large_as_its_limit_in_bytes() -> None:
    require_fitting(["x" * FACT_LIMIT, "é" * (FACT_LIMIT // 2)], argument="facts")


@pytest.mark.parametrize("fact", ["x" * (FACT_LIMIT + 1), "é" * (FACT_LIMIT // 2 + 1)])
def test_a_larger_fact_is_refused_by_its_place(fact: str) -> None:
    with pytest.raises(TooLarge, match="Text 2 in `facts`") as refusal:
        require_fitting(["short", fact], argument="facts")
    details = refusal.value.details
    assert details == {"argument": "facts", "size": len(fact.encode()), "limit": FACT_LIMIT}


def test_facts_that_are_too_large_together_are_refused() -> None:
    fitting = ["x" * FACT_LIMIT] * (CALL_LIMIT // FACT_LIMIT)
    require_fitting(fitting, argument="facts")
    with pytest.raises(TooLarge, match="several calls") as refusal:
        require_fitting([*fitting, "x"], argument="facts")
    assert refusal.value.details == {"argument": "facts", "size": CALL_LIMIT + 1, "limit": CALL_LIMIT}


def test_a_refusal_repeats_no_content() -> None:
    with pytest.raises(TooLarge) as refusal:
        require_fitting(["marzipan" * FACT_LIMIT], argument="facts")
    assert "marzipan" not in str(refusal.value.as_dict())
