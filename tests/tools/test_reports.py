"""What users of comparable systems ran into, replayed: each kind of fault is impossible here."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from memtools.domain.scope import Scope
from memtools.errors import Ambiguous, Conflict, InvalidArguments, NotFound, TooLarge

from tests.calls import Caller


def test_arguments_cannot_name_another_agents_scope(ana: Caller, bob: Caller) -> None:
    for name in ("agent", "agent_id", "userId", "namespace", "scope", "metadata"):
        with pytest.raises(InvalidArguments, match=name):
            ana.add(facts=["planted"], **{name: "bob"})
    assert bob.all() == ana.all() == []


def test_an_id_opens_no_other_tenants_trace(ana: Caller, bob: Caller) -> None:
    (trace,) = ana.remember("secret")
    for call in (bob.history, bob.delete, bob.restore):
        with pytest.raises(NotFound):
            call(traceId=trace)
    with pytest.raises(NotFound):
        bob.merge(traceIds=[trace, *bob.remember("own")])
    assert ana.all() == ["secret"]


def test_every_way_to_read_stays_in_the_callers_scope(ana: Caller, bob: Caller) -> None:
    ana.remember("ana likes tea", "ana likes jam")
    ana.edit(action="add", text="ana's note")
    cursor = ana.list(limit=1)["nextCursor"]
    assert bob.search(query="ana likes tea")["results"] == []
    assert bob.list()["results"] == []
    assert bob.read() == {"text": "", "version": "none", "found": []}
    assert bob.history(target="self") == {"versions": []}
    with pytest.raises(InvalidArguments):
        bob.list(cursor=cursor)


def test_a_list_is_followed_to_its_end(ana: Caller) -> None:
    ana.add(facts=[f"fact {number}" for number in range(100)])
    ana.add(facts=[f"fact {number}" for number in range(100, 150)])
    assert len(ana.all()) == 150


def test_what_happens_to_one_user_happens_to_no_other(ana: Caller) -> None:
    others = [Caller(ana.memory, Scope(ana.scope.agent, user)) for user in ("ana2", "an", "ANA", "ana/x", "ana%2Fx")]
    for other in others:
        other.remember("tea")
    (trace,) = ana.remember("tea")
    ana.delete(traceId=trace)
    assert ana.all() == []
    assert all(other.all() == ["tea"] for other in others)


def test_parallel_adds_are_all_kept(ana: Caller) -> None:
    facts = [f"fact {number}" for number in range(20)]
    with ThreadPoolExecutor(10) as pool:
        replies = list(pool.map(lambda fact: ana.add(facts=[fact]), facts))
    assert all(reply["message"] == "Saved 1 fact(s) to memory." for reply in replies)
    assert sorted(ana.all()) == sorted(facts)


def test_parallel_appends_to_one_document_are_all_kept(ana: Caller) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda text: ana.edit(action="add", text=text), ["one", "two", "three"]))
    assert sorted(ana.read(target="self")["text"].splitlines()) == ["- one", "- three", "- two"]


def test_an_edit_from_a_stale_copy_destroys_nothing(ana: Caller) -> None:
    stale = ana.edit(action="add", text="name: Ana")["version"]
    ana.edit(action="add", text="grown elsewhere " + "x" * 8000)
    with pytest.raises(Conflict):
        ana.edit(action="replace", text="Ana", with_="Anna", version=stale)
    assert "grown elsewhere" in ana.edit(action="replace", text="name: Ana", with_="name: Anna")["text"]


def test_an_old_text_of_several_lines_is_found(ana: Caller) -> None:
    ana.edit(action="add", text="first line\nsecond line\nthird line")
    assert ana.edit(action="remove", text="first line\nsecond line\nthird line")["text"] == ""


def test_the_index_follows_an_edit_at_once(ana: Caller) -> None:
    (trace,) = ana.remember("Maria works at Acme")
    assert ana.contents("Acme")
    ana.update(traceId=trace, content="Maria works at Beta Corp")
    assert ana.contents("Acme") == []
    assert ana.contents("Beta Corp") == ["Maria works at Beta Corp"]


def test_what_is_deleted_is_gone_everywhere_at_once(ana: Caller) -> None:
    (trace,) = ana.remember("Maria works at Acme")
    assert ana.contents("Acme")
    ana.delete(traceId=trace)
    assert ana.contents("Acme") == []
    assert ana.all() == []


def test_a_null_breaks_no_later_recall(ana: Caller) -> None:
    ana.add(facts=["tea"], tags=None, occurredAt=None, expiresAt=None)
    assert ana.contents("tea") == ["tea"]
    with pytest.raises(InvalidArguments):
        ana.add(facts=["tea", None])


def test_numbers_come_out_as_numbers(ana: Caller) -> None:
    ana.remember("tea")
    (hit,) = ana.search(query="tea", limit=7.0)["results"]
    assert [type(hit[name]) for name in ("version", "retrievalCount", "score")] == [int, int, float]


def test_a_fact_too_large_for_the_store_is_refused_before(ana: Caller) -> None:
    with pytest.raises(TooLarge) as refused:
        ana.add(facts=["x" * 450_000])
    assert refused.value.details["size"] == 450_000
    assert refused.value.details["limit"] < 400_000


def test_the_same_add_twice_deletes_nothing(ana: Caller) -> None:
    (trace,) = ana.remember("tea")
    assert ana.add(facts=["tea"])["duplicates"] == [{"id": trace, "content": "tea"}]
    assert ana.contents("tea") == ["tea"]


def test_a_survivor_is_found_at_once_with_its_whole_origin(ana: Caller) -> None:
    ids = ana.remember("likes tea", "likes green tea", "likes matcha")
    ana.merge(traceIds=ids, mergedContent="likes green tea, above all matcha")
    (hit,) = ana.search(query="matcha")["results"]
    assert hit["mergedFrom"] == ids[1:]


def test_no_edit_exceeds_the_limit_and_errors_name_long_entries(ana: Caller) -> None:
    ana.edit(action="add", text="long " + "x" * 15_000)
    ana.edit(action="add", text="short")
    for arguments in (
        {"action": "add", "text": "y" * 2000},
        {"action": "replace", "text": "short", "with": "y" * 2000},
    ):
        with pytest.raises(TooLarge) as refused:
            ana.edit(**arguments)
        assert refused.value.details["longest"][0]["entry"].startswith("long ")


def test_a_replace_that_matches_nothing_shows_the_entries(ana: Caller) -> None:
    ana.edit(action="add", text="likes tea")
    with pytest.raises(NotFound) as refused:
        ana.edit(action="replace", text="likes coffee", with_="x")
    assert refused.value.details["entries"] == ["likes tea"]


def test_ambiguity_and_repetition_make_no_duplicates(ana: Caller) -> None:
    ana.edit(action="add", text="tea at five")
    ana.edit(action="add", text="tea at nine")
    with pytest.raises(Ambiguous) as refused:
        ana.edit(action="replace", text="tea", with_="coffee")
    assert [one["line"] for one in refused.value.details["occurrences"]] == [1, 2]
    assert ana.edit(action="add", text="tea at five")["text"] == "- tea at five\n- tea at nine\n"


def test_one_trace_is_never_counted_as_two_and_ties_go_by_order(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    with pytest.raises(InvalidArguments):
        ana.merge(traceIds=[one, one])
    assert ana.merge(traceIds=[two, one])["survivorId"] == two


def test_partial_matches_are_found_and_ranked(ana: Caller) -> None:
    ana.remember("prefers dark theme", "prefers tea", "has a dog")
    assert ana.contents("what theme does the user prefer")[0] == "prefers dark theme"


@pytest.mark.parametrize("arguments", [{"text": "", "with": "x"}, {"with": "x"}, {"text": None, "with": "null"}])
def test_an_empty_or_missing_text_is_never_replaced(ana: Caller, arguments: dict[str, str]) -> None:
    before = ana.edit(action="add", text="abc")["text"]
    with pytest.raises(InvalidArguments):
        ana.edit(action="replace", **arguments)
    assert ana.read(target="self")["text"] == before


def test_a_large_document_is_never_cut(ana: Caller) -> None:
    for number in range(15):
        ana.edit(action="add", text=f"{number} " + "x" * 1000)
    before = ana.read(target="self")["text"]
    assert ana.edit(action="replace", text="- 7 x", with_="- 7 y")["text"] == before.replace("- 7 x", "- 7 y")


def test_a_bare_string_is_one_fact(ana: Caller) -> None:
    assert ana.add(facts="abc")["message"] == "Saved 1 fact(s) to memory."
