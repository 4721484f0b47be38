"""How one version of a trace becomes the next, and how an earlier one comes back."""

from dataclasses import replace
from datetime import timedelta

from memtools.domain.trace import Change, Embedding, MergeRecord, Stamp, Status, Trace
from memtools.domain.versions import (
    carried_over,
    carrying,
    deleted,
    is_same,
    newest_first,
    next_version,
    restored,
    revived,
    updated,
)

from tests.unit.test_trace import NOW, TRACE

LATER = Stamp(NOW + timedelta(hours=1), "write-2")
MONTH = timedelta(days=30)
VECTOR = Embedding("m", b"\x09")


def test_the_next_version_changes_only_the_given_fields() -> None:
    after = next_version(TRACE, LATER, Change.UPDATED, content="Likes coffee")
    assert after == replace(
        TRACE,
        content="Likes coffee",
        version=2,
        change=Change.UPDATED,
        changed_at=LATER.now,
        writes=("write-2", "write-1"),
    )
    assert TRACE.content == "Likes tea"


def test_the_names_of_the_last_writes_are_kept_newest_first() -> None:
    trace = TRACE
    for number in range(40):
        trace = next_version(trace, Stamp(NOW, f"w{number}"), Change.UPDATED)
    assert trace.version == 41
    assert trace.writes[:21] == tuple(f"w{number}" for number in range(39, 18, -1))
    assert len(trace.writes) < 40


def test_a_version_with_a_history_item_is_not_kept_inside_as_well() -> None:
    before = replace(TRACE, inline_history=(replace(TRACE, content="older"),))
    assert next_version(before, LATER, Change.UPDATED).inline_history == ()


def test_inline_history_includes_that_of_the_replaced_version() -> None:
    older = replace(TRACE, content="older")
    middle = replace(TRACE, content="middle", version=2, inline_history=(older,))
    newest = carrying(replace(TRACE, content="newest", version=3), middle)
    assert [version.content for version in newest.inline_history] == ["older", "middle"]
    assert all(version.inline_history == () for version in newest.inline_history)
    assert newest.inline_history[-1].embedding is None


# Living again


def test_a_revived_trace_is_new_except_for_its_history() -> None:
    dead = replace(
        TRACE,
        content="likes TEA",
        version=4,
        status=Status.MERGED,
        change=Change.MERGED_AWAY,
        merged_into="mt_2",
        merged_from=("mt_3",),
        merge=MergeRecord(("mt_3",), 1, 2, "call"),
        reason="wrong",
        expires_at=NOW,
        occurred_at=NOW,
    )
    birth = Trace(
        id="mt_1",
        content="Likes tea",
        created_at=LATER.now,
        changed_at=LATER.now,
        tags=("drinks",),
        embedding=Embedding("m", b"\x02"),
    )
    alive = revived(dead, birth, LATER)
    assert alive.alive(LATER.now)
    assert alive == replace(
        birth,
        version=5,
        change=Change.ADDED,
        retrieval_count=3,
        writes=("write-2", "write-1"),
        inline_history=(replace(dead, embedding=None),),
    )


# Changes


def test_an_update_changes_content_tags_and_meaning_alone() -> None:
    dated = replace(TRACE, occurred_at=NOW, expires_at=NOW + MONTH, merged_from=("mt_0",))
    after = updated(dated, "Likes coffee", ["drinks"], VECTOR, LATER)
    assert after == replace(
        dated,
        content="Likes coffee",
        tags=("drinks",),
        embedding=VECTOR,
        version=2,
        change=Change.UPDATED,
        changed_at=LATER.now,
        writes=("write-2", "write-1"),
    )


def test_a_deletion_keeps_the_fact_for_a_while_and_drops_its_vector() -> None:
    after = deleted(TRACE, "asked to", LATER, MONTH)
    assert (after.status, after.change, after.reason) == (Status.DELETED, Change.DELETED, "asked to")
    assert after.expires_at == LATER.now + MONTH
    assert (after.content, after.tags, after.version, after.embedding) == ("Likes tea", ("food",), 2, None)


def test_what_was_deleted_comes_back_as_it_was() -> None:
    passing = replace(TRACE, expires_at=NOW + timedelta(days=90), occurred_at=NOW)
    back = restored(deleted(passing, "by mistake", LATER, MONTH), passing, VECTOR, LATER)
    assert back == replace(
        passing,
        version=3,
        change=Change.RESTORED,
        changed_at=LATER.now,
        embedding=VECTOR,
        writes=("write-2", "write-2", "write-1"),
    )


def test_a_restored_source_no_longer_belongs_to_its_survivor() -> None:
    gone = replace(TRACE, status=Status.MERGED, merged_into="mt_2", expires_at=NOW + MONTH, version=2)
    back = restored(gone, TRACE, VECTOR, LATER)
    assert back.live
    assert (back.merged_into, back.expires_at) == (None, None)


# Whether anything would change


def test_restoring_what_a_trace_says_already_changes_nothing() -> None:
    current = replace(TRACE, version=3)
    assert is_same(TRACE, current)
    assert not is_same(replace(TRACE, content="likes tea"), current)
    assert not is_same(replace(TRACE, tags=()), current)
    assert not is_same(TRACE, replace(current, status=Status.DELETED))


# Merges that can be undone


MERGE = MergeRecord(("mt_2",), replaced=1, outcome=2, call="call")
OUTCOME = replace(TRACE, content="both", version=2, merge=MERGE)


def test_the_outcome_of_a_merge_restored_can_be_unmerged_again() -> None:
    changed = replace(OUTCOME, content="changed", version=3)
    assert carried_over(OUTCOME, changed) == replace(MERGE, outcome=4)
    assert carried_over(changed, changed) is None
    assert carried_over(TRACE, changed) is None
    back = restored(changed, OUTCOME, VECTOR, LATER)
    assert back.merge == replace(MERGE, outcome=back.version)


def test_restoring_another_version_disables_unmerge() -> None:
    back = restored(OUTCOME, TRACE, VECTOR, LATER)
    assert back.merge == MERGE
    assert back.merge.outcome != back.version


def test_restoring_equal_content_is_a_change_if_it_enables_unmerge() -> None:
    assert not is_same(OUTCOME, replace(OUTCOME, version=4))
    assert is_same(OUTCOME, OUTCOME)
    assert is_same(replace(TRACE, content="both"), replace(OUTCOME, version=4))


# The past in order


def test_all_versions_come_newest_first_including_inline_ones() -> None:
    def version(number: int, *before: Trace) -> Trace:
        return replace(TRACE, version=number, inline_history=before)

    current = version(6, version(4), version(5))
    history = [version(3, version(2)), version(1)]
    assert [one.version for one in newest_first(current, history, NOW - MONTH)] == [6, 5, 4, 3, 2, 1]
    assert newest_first(TRACE, [], NOW - MONTH) == [TRACE]


def test_a_version_inside_an_item_is_told_until_its_retention_ends() -> None:
    """FAULTS B4: the retention of a version begins when the next one replaced it, wherever it is kept."""
    first, second = replace(TRACE, content="secret"), replace(TRACE, version=2, changed_at=NOW + timedelta(days=10))
    current = replace(TRACE, version=3, changed_at=NOW + timedelta(days=20), inline_history=(first, second))

    def told(carrier: Trace, days: int) -> list[int]:
        cutoff = NOW + timedelta(days=days)
        return [one.version for one in newest_first(TRACE, [carrier], cutoff)][1:]

    assert [told(current, days) for days in (9, 10, 19, 20)] == [[3, 2, 1], [3, 2], [3, 2], [3]]
