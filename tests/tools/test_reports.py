"""What users of comparable systems ran into, replayed: each kind of fault is impossible here."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from memtools.errors import InvalidArguments

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
