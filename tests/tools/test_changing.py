"""memory_update, memory_delete, memory_restore, memory_history and memory_list."""

import base64
import json
from datetime import timedelta

import pytest
from memtools.errors import Conflict, InvalidArguments, NotFound, TooLarge

from tests.calls import Caller
from tests.fakes import FakeClock


def changes(caller: Caller, trace: str) -> list[str]:
    return [one["change"] for one in caller.history(traceId=trace)["versions"]]


def test_an_update_replaces_content_or_tags_and_keeps_the_rest(ana: Caller) -> None:
    (trace,) = ana.remember("tea", tags=["a"], occurredAt="2026-01-01")
    first = ana.update(traceId=trace, content="coffee")
    assert first["updated"] is True
    assert (first["trace"]["content"], first["trace"]["tags"], first["trace"]["version"]) == ("coffee", ["a"], 2)
    second = ana.update(traceId=trace, tags=["b", "b", " "])["trace"]
    assert (second["content"], second["tags"], second["occurredAt"]) == ("coffee", ["b"], "2026-01-01T00:00:00Z")


def test_an_update_that_changes_nothing_says_so(ana: Caller) -> None:
    (trace,) = ana.remember("tea", tags=["a"])
    assert ana.update(traceId=trace, content="tea", tags=["a"])["updated"] is False
    assert ana.list()["results"][0]["version"] == 1


def test_an_update_sent_again_is_no_conflict_with_itself(ana: Caller) -> None:
    (trace,) = ana.remember("tea")
    ana.update(traceId=trace, content="coffee", version=1)
    again = ana.update(traceId=trace, content="coffee", version=1)
    assert (again["updated"], again["trace"]["version"]) == (False, 2)


@pytest.mark.parametrize("tool", ["update", "delete"])
def test_a_stale_version_is_refused_with_the_current_state(ana: Caller, tool: str) -> None:
    (trace,) = ana.remember("tea")
    ana.update(traceId=trace, content="coffee")
    arguments = {"content": "milk"} if tool == "update" else {}
    with pytest.raises(Conflict) as refused:
        getattr(ana, tool)(traceId=trace, version=1, **arguments)
    assert (refused.value.details["version"], refused.value.details["content"]) == (2, "coffee")
    assert ana.all() == ["coffee"]


@pytest.mark.parametrize("tool", ["update", "delete", "restore", "history", "unmerge"])
def test_an_id_of_another_scope_or_of_none_is_not_found(ana: Caller, bob: Caller, tool: str) -> None:
    (trace,) = ana.remember("tea")
    arguments = {"content": "mine now"} if tool == "update" else {}
    name = "survivorId" if tool == "unmerge" else "traceId"
    for unknown in (trace, "mt_none"):
        with pytest.raises(NotFound) as refused:
            getattr(bob, tool)(**{name: unknown}, **arguments)
        assert "tea" not in str(refused.value.details)
    assert ana.all() == ["tea"]
    assert changes(ana, trace) == ["added"]


def test_a_deletion_sent_again_changes_nothing(ana: Caller) -> None:
    """FAULTS A7: the state decides, so a retry of a deletion that took effect is no failure."""
    (trace,) = ana.remember("tea")
    assert ana.delete(traceId=trace, reason="asked to") == {"deleted": True, "id": trace}
    assert ana.delete(traceId=trace, reason="again", version=1) == {"deleted": False, "id": trace}
    with pytest.raises(NotFound, match="memory_restore"):
        ana.update(traceId=trace, content="x")
    newest = ana.history(traceId=trace)["versions"][0]
    assert (newest["change"], newest["reason"], newest["version"]) == ("deleted", "asked to", 2)


def test_a_deleted_trace_comes_back_as_it_was(ana: Caller) -> None:
    (trace,) = ana.remember("tea", tags=["a"], occurredAt="2026-01-01", expiresAt="2036-01-01")
    before = ana.list()["results"][0]
    ana.delete(traceId=trace)
    back = ana.restore(traceId=trace)
    assert back["restored"] is True
    same = ("content", "tags", "occurredAt", "expiresAt", "createdAt")
    assert [back["trace"][name] for name in same] == [before[name] for name in same]
    assert ana.contents("tea") == ["tea"]
    assert ana.restore(traceId=trace)["restored"] is False
    assert changes(ana, trace) == ["restored", "deleted", "added"]


def test_any_version_in_the_history_can_be_restored(ana: Caller) -> None:
    (trace,) = ana.remember("one", tags=["a"])
    ana.update(traceId=trace, content="two", tags=["b"])
    ana.update(traceId=trace, content="three")
    back = ana.restore(traceId=trace, version=1)
    assert (back["trace"]["content"], back["trace"]["tags"], back["trace"]["version"]) == ("one", ["a"], 4)
    assert ana.contents("three") == []
    assert ana.restore(traceId=trace, version=1)["restored"] is False
    assert ana.restore(traceId=trace, version=3)["trace"]["content"] == "three"
    versions = ana.history(traceId=trace)["versions"]
    assert [one["content"] for one in versions] == ["three", "one", "three", "two", "one"]
    assert [one["version"] for one in versions] == [5, 4, 3, 2, 1]
    assert len(ana.history(traceId=trace, limit=2)["versions"]) == 2


def test_missing_versions_and_deletions_cannot_be_restored(ana: Caller) -> None:
    (trace,) = ana.remember("one")
    ana.delete(traceId=trace)
    ana.restore(traceId=trace)
    for version in (2, 9):
        with pytest.raises(NotFound) as refused:
            ana.restore(traceId=trace, version=version)
        assert refused.value.details["versions"] == [3, 1]


def test_a_fact_deleted_added_and_deleted_again_keeps_every_version(ana: Caller) -> None:
    (trace,) = ana.remember("Tea")
    ana.delete(traceId=trace)
    ana.remember("TEA")
    ana.delete(traceId=trace)
    versions = ana.history(traceId=trace)["versions"]
    assert [(one["version"], one["change"], one["content"]) for one in versions] == [
        (4, "deleted", "TEA"),
        (3, "added", "TEA"),
        (2, "deleted", "Tea"),
        (1, "added", "Tea"),
    ]
    assert ana.restore(traceId=trace, version=1)["trace"]["content"] == "Tea"


def test_items_past_retention_are_gone_before_the_store_purges_them(ana: Caller, clock: FakeClock) -> None:
    (gone, changed) = ana.remember("gone", "first")
    ana.delete(traceId=gone)
    ana.update(traceId=changed, content="second")
    clock.advance(timedelta(days=31))
    with pytest.raises(NotFound):
        ana.restore(traceId=gone)
    with pytest.raises(NotFound):
        ana.history(traceId=gone)
    with pytest.raises(NotFound):
        ana.restore(traceId=changed, version=1)
    assert changes(ana, changed) == ["updated"]
    assert ana.add(facts=["gone"])["message"] == "Saved 1 fact(s) to memory."


def test_an_updated_text_that_is_too_large_is_refused(ana: Caller) -> None:
    (trace,) = ana.remember("tea")
    with pytest.raises(TooLarge):
        ana.update(traceId=trace, content="x" * 70_000)
    assert ana.all() == ["tea"]


def test_a_list_is_newest_first_by_when_it_happened_page_by_page(ana: Caller) -> None:
    ana.remember("long ago", occurredAt="2020-01-01")
    for number in range(25):
        ana.remember(f"fact {number}")
    first = ana.list(limit=10)
    assert [one["content"] for one in first["results"]] == [f"fact {number}" for number in range(24, 14, -1)]
    second = ana.list(limit=10, cursor=first["nextCursor"])
    third = ana.list(limit=10, cursor=second["nextCursor"])
    assert third["results"][-1]["content"] == "long ago"
    assert "nextCursor" not in third
    assert len({one["id"] for page in (first, second, third) for one in page["results"]}) == 26


def test_facts_of_one_call_are_listed_in_their_order(ana: Caller) -> None:
    ana.add(facts=["one", "two", "three"])
    assert ana.all() == ["three", "two", "one"]


def test_a_list_by_tag_needs_all_tags(ana: Caller) -> None:
    ana.remember("one", tags=["a", "b"])
    ana.remember("two", tags=["a"])
    assert [one["content"] for one in ana.list(tags=["A", "b"])["results"]] == ["one"]


def test_a_cursor_is_valid_only_for_its_own_list(ana: Caller, bob: Caller) -> None:
    ana.remember("one", "two", tags=["a"])
    bob.remember("three", "four")
    cursor = ana.list(limit=1)["nextCursor"]
    for caller, arguments in (
        (bob, {"cursor": cursor}),
        (ana, {"cursor": cursor, "tags": ["a"]}),
        (ana, {"cursor": cursor[:-4] + "AAAA"}),
        (ana, {"cursor": "nonsense é"}),
        (ana, {"cursor": "W10="}),
        (ana, {"cursor": "e30="}),
    ):
        with pytest.raises(InvalidArguments, match="cursor"):
            caller.list(limit=1, **arguments)


def test_a_page_never_has_traces_deleted_after_its_cursor(ana: Caller) -> None:
    one, _, _ = ana.remember("one", "two", "three")
    cursor = ana.list(limit=1)["nextCursor"]
    ana.delete(traceId=one)
    assert [hit["content"] for hit in ana.list(limit=10, cursor=cursor)["results"]] == ["two"]


@pytest.mark.parametrize("value", ["Infinity", "1e400", "NaN", '"soon"', "null", "[1]", "true", "1.5"])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_made_up_cursor_is_refused_by_name(ana: Caller, value: str, place: int) -> None:
    """FAULTS C4: whatever stands where a time, an id or the checksum belongs."""
    ana.remember("tea", "coffee")
    real = json.loads(base64.urlsafe_b64decode(ana.list(limit=1)["nextCursor"]))
    parts = [json.dumps(part) for part in real]
    parts[place] = value
    made_up = base64.urlsafe_b64encode(f"[{', '.join(parts)}]".encode()).decode()
    with pytest.raises(InvalidArguments, match="cursor"):
        ana.list(cursor=made_up)
