"""What users of comparable systems ran into, replayed: each kind of fault is impossible here."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from memtools.domain.scope import Scope
from memtools.errors import Conflict, InvalidArguments, NotFound

from tests.calls import Caller


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


def test_a_null_breaks_no_later_recall(ana: Caller) -> None:
    ana.add(facts=["tea"], tags=None, occurredAt=None, expiresAt=None)
    assert ana.contents("tea") == ["tea"]
    with pytest.raises(InvalidArguments):
        ana.add(facts=["tea", None])


def test_numbers_come_out_as_numbers(ana: Caller) -> None:
    ana.remember("tea")
    (hit,) = ana.search(query="tea", limit=7.0)["results"]
    assert [type(hit[name]) for name in ("version", "retrievalCount", "score")] == [int, int, float]


def test_an_id_opens_no_other_tenants_trace(ana: Caller, bob: Caller) -> None:
    (trace,) = ana.remember("secret")
    for call in (bob.history, bob.delete, bob.restore):
        with pytest.raises(NotFound):
            call(traceId=trace)
    with pytest.raises(NotFound):
        bob.merge(traceIds=[trace, *bob.remember("own")])
    assert ana.all() == ["secret"]


def test_what_happens_to_one_user_happens_to_no_other(ana: Caller) -> None:
    others = [Caller(ana.memory, Scope(ana.scope.agent, user)) for user in ("ana2", "an", "ANA", "ana/x", "ana%2Fx")]
    for other in others:
        other.remember("tea")
    (trace,) = ana.remember("tea")
    ana.delete(traceId=trace)
    assert ana.all() == []
    assert all(other.all() == ["tea"] for other in others)


def test_an_edit_from_a_stale_copy_destroys_nothing(ana: Caller) -> None:
    stale = ana.edit(action="add", text="name: Ana")["version"]
    ana.edit(action="add", text="grown elsewhere " + "x" * 8000)
    with pytest.raises(Conflict):
        ana.edit(action="replace", text="Ana", with_="Anna", version=stale)
    assert "grown elsewhere" in ana.edit(action="replace", text="name: Ana", with_="name: Anna")["text"]


def test_a_large_document_is_never_cut(ana: Caller) -> None:
    for number in range(15):
        ana.edit(action="add", text=f"{number} " + "x" * 1000)
    before = ana.read(target="self")["text"]
    assert ana.edit(action="replace", text="- 7 x", with_="- 7 y")["text"] == before.replace("- 7 x", "- 7 y")
