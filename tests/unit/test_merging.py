"""Several traces become one, and nothing of them is lost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.trace import Change, Embedding, MergeRecord, Stamp, Status, Trace
from memtools.domain.versions import merge, merged_content, survivor_of, unmerge

from tests.examples import share

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
STAMP = Stamp(NOW + timedelta(days=1), "the-write")
MONTH = timedelta(days=30)
VECTOR = Embedding("m", b"\x05")


def trace(name: str, count: int = 0, *, tags: tuple[str, ...] = (), merged_from: tuple[str, ...] = ()) -> Trace:
    return Trace(
        id=name,
        content=f"content of {name}",
        created_at=NOW,
        changed_at=NOW,
        tags=tags,
        retrieval_count=count,
        embedding=Embedding("m", b"\x01"),
        merged_from=merged_from,
        version=3,
        writes=("earlier",),
    )


def merged(*traces: Trace, content: str = "all of it") -> list[tuple[Trace, Trace]]:
    return merge(traces, content=content, embedding=VECTOR, call="call", stamp=STAMP, retention=MONTH)


# Who survives


def test_the_trace_retrieved_most_often_survives() -> None:
    assert survivor_of([trace("a", 1), trace("b", 5), trace("c", 2)]).id == "b"


@pytest.mark.parametrize("names", ["abc", "cba", "bca"])
def test_the_first_of_equally_retrieved_traces_survives(names: str) -> None:
    assert survivor_of([trace(name, 2) for name in names]).id == names[0]
    assert survivor_of([trace("low", 1), *(trace(name, 2) for name in names)]).id == names[0]


# What it says


def test_wanted_content_is_kept_to_the_letter() -> None:
    assert merged_content([trace("a"), trace("b")], "  Both \n") == "  Both \n"


@pytest.mark.parametrize("blank", [None, "", " ", "\n\t", "\u3000"])
def test_without_wanted_content_all_are_joined_in_the_order_given(blank: str | None) -> None:
    traces = [trace("b", 1), trace("a", 9), trace("c")]
    assert merged_content(traces, blank) == "content of b | content of a | content of c"


# What becomes of each


def test_the_survivor_takes_over_tags_counts_and_meaning() -> None:
    a, b, c = trace("a", 1, tags=("x", "y")), trace("b", 4, tags=("z", "y")), trace("c", 2, tags=("x", "w"))
    before, after = merged(a, b, c)[0]
    assert before is b
    assert after == replace(
        b,
        content="all of it",
        tags=("x", "y", "z", "w"),
        retrieval_count=7,
        embedding=VECTOR,
        merged_from=("a", "c"),
        merge=MergeRecord(("a", "c"), replaced=3, outcome=4, call="call"),
        version=4,
        change=Change.MERGED,
        changed_at=STAMP.now,
        writes=("the-write", "earlier"),
    )


def test_the_others_are_marked_and_carry_the_version_replaced() -> None:
    a, b = trace("a", 1), trace("b", 4)
    [_, (before, after)] = merged(a, b)
    assert before is a
    assert (after.status, after.change, after.merged_into) == (Status.MERGED, Change.MERGED_AWAY, "b")
    assert after.expires_at == STAMP.now + MONTH
    assert after.inline_history == (replace(a, embedding=None),)
    assert (after.version, after.changed_at, after.content, after.embedding) == (4, STAMP.now, a.content, None)


def test_a_source_keeps_the_past_it_carried_already() -> None:
    older = replace(trace("a"), content="older", embedding=None, version=2)
    [_, (_, after)] = merged(replace(trace("a"), inline_history=(older,)), trace("b", 1))
    assert [version.content for version in after.inline_history] == ["older", "content of a"]


def test_the_lineage_goes_through_other_survivors() -> None:
    a = trace("a", 9, merged_from=("a1", "a2"))
    b = trace("b", 1, merged_from=("b1", "a2"))
    [(_, after), *_] = merged(b, a, trace("c"))
    assert after.merged_from == ("a1", "a2", "b", "b1", "c")


def test_a_trace_is_never_in_its_own_lineage() -> None:
    """It was merged into b once, lived again, and now takes b in."""
    [(_, after), _] = merged(trace("a", 9), trace("b", 1, merged_from=("a", "c")))
    assert after.merged_from == ("b", "c")


def test_a_merge_lasts_as_long_as_its_longest_lasting_trace() -> None:
    soon = replace(trace("a", 9), expires_at=STAMP.now + timedelta(hours=1))
    [(_, after), _] = merged(soon, trace("b"))
    assert after.alive(STAMP.now + timedelta(days=365))


names = st.sampled_from("abcdefgh")
counts = st.integers(0, 3)


@st.composite
def groups(draw: st.DrawFn) -> list[Trace]:
    order = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    return [
        trace(
            name,
            draw(counts),
            tags=tuple(draw(st.lists(st.sampled_from("xyz"), max_size=3, unique=True))),
            merged_from=tuple(one for one in draw(st.lists(names, max_size=3, unique=True)) if one != name),
        )
        for name in order
    ]


@given(traces=groups())
def test_nothing_is_lost_in_any_merge(traces: list[Trace]) -> None:
    [(survivor, after), *sources] = merged(*traces)
    assert [before.id for before, _ in sources] == [one.id for one in traces if one is not survivor]
    assert after.id == survivor.id
    assert after.retrieval_count == sum(one.retrieval_count for one in traces)
    assert after.live
    assert not any(tombstone.live for _, tombstone in sources)
    assert list(after.tags) == list(dict.fromkeys(tag for one in traces for tag in one.tags))
    ancestors = {name for one in traces for name in (one.id, *one.merged_from)} - {survivor.id}
    assert set(after.merged_from) == ancestors
    assert len(after.merged_from) == len(ancestors)


# The merge undone


def test_a_merge_undone_brings_all_back_as_it_was() -> None:
    a = replace(trace("a", 1, tags=("x",)), expires_at=STAMP.now + MONTH)
    b = trace("b", 4, tags=("y",), merged_from=("b1",))
    [(_, survivor), (_, tombstone)] = merged(a, b)
    later = Stamp(STAMP.now + timedelta(hours=1), "undo")
    steps = unmerge(survivor, b, [tombstone], [VECTOR], later)
    assert [before for before, _ in steps] == [survivor, tombstone]
    [shrunk, back] = [after for _, after in steps]
    assert shrunk == replace(
        b, version=5, change=Change.UNMERGED, changed_at=later.now, writes=("undo", "the-write", "earlier")
    )
    assert back == replace(
        a,
        version=5,
        change=Change.UNMERGED,
        changed_at=later.now,
        writes=("undo", "the-write", "earlier"),
        embedding=VECTOR,
        inline_history=(replace(a, embedding=None), replace(tombstone, inline_history=(), writes=("the-write",))),
    )


def test_retrievals_since_the_merge_stay_with_the_survivor() -> None:
    a, b = trace("a", 1), trace("b", 4)
    [(_, survivor), (_, tombstone)] = merged(a, b)
    retrieved = replace(survivor, retrieval_count=survivor.retrieval_count + 7)
    [(_, shrunk), (_, back)] = unmerge(retrieved, b, [tombstone], [None], STAMP)
    assert (shrunk.retrieval_count, back.retrieval_count) == (11, 1)


@share(50)
@given(traces=groups())
def test_undoing_any_merge_restores_every_content(traces: list[Trace]) -> None:
    [(before, survivor), *sources] = merged(*traces)
    tombstones = [after for _, after in sources]
    steps = unmerge(survivor, before, tombstones, [None] * len(tombstones), STAMP)
    told = {one.id: (one.content, one.tags, one.retrieval_count, one.merged_from, one.expires_at) for one in traces}
    assert {
        after.id: (after.content, after.tags, after.retrieval_count, after.merged_from, after.expires_at)
        for _, after in steps
    } == told
    assert all(after.live and after.merged_into is None for _, after in steps)
