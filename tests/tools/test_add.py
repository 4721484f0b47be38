"""memory_add: all or nothing, nothing twice, the count told is the count stored."""

from datetime import timedelta

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.errors import InvalidArguments, TooLarge

from tests.calls import Caller
from tests.fakes import FakeClock


def test_facts_are_saved_and_counted(ana: Caller) -> None:
    reply = ana.add(facts=["Ana likes tea", "Ana lives in Porto"])
    assert reply["message"] == "Saved 2 fact(s) to memory."
    assert [one["content"] for one in reply["saved"]] == ["Ana likes tea", "Ana lives in Porto"]
    assert reply["duplicates"] == []


@pytest.mark.parametrize("facts", [[], [""], ["  ", "\n\t"]])
def test_nothing_to_save_is_a_success_that_saves_nothing(ana: Caller, facts: list[str]) -> None:
    assert ana.add(facts=facts) == {"message": "Nothing to save.", "saved": [], "duplicates": []}
    assert ana.all() == []


def test_blank_facts_are_dropped_and_not_counted(ana: Caller) -> None:
    assert ana.add(facts=["", "Ana likes tea", "  "])["message"] == "Saved 1 fact(s) to memory."


def test_text_is_kept_to_the_byte(ana: Caller) -> None:
    text = "  Cafe\u0301 \u00e9 \ufeff 東京\r\n\u0000 end \u200f"
    ana.add(facts=[text])
    assert ana.all() == [text]


def test_the_same_fact_again_names_the_trace_that_holds_it(ana: Caller) -> None:
    (first,) = ana.remember("Ana likes Café au lait")
    again = ana.add(facts=[" ana  LIKES\tcafe\u0301 au lait "])
    assert again["message"] == "Saved 0 fact(s) to memory."
    assert again["duplicates"] == [{"id": first, "content": "Ana likes Café au lait"}]
    assert len(ana.all()) == 1


def test_the_same_fact_twice_in_a_call_is_saved_once(ana: Caller) -> None:
    reply = ana.add(facts=["tea", "TEA", "coffee"])
    assert reply["message"] == "Saved 2 fact(s) to memory."
    assert [one["content"] for one in reply["duplicates"]] == ["tea"]


def test_a_deleted_fact_can_be_added_again(ana: Caller) -> None:
    (trace,) = ana.remember("tea", tags=["old"])
    ana.delete(traceId=trace)
    assert ana.add(facts=["tea"], tags=["new"])["saved"] == [{"id": trace, "content": "tea"}]
    assert ana.list()["results"][0]["tags"] == ["new"]
    changes = [one["change"] for one in ana.history(traceId=trace)["versions"]]
    assert changes == ["added", "deleted", "added"]


def test_a_fact_merged_away_can_be_added_again(ana: Caller) -> None:
    tea, coffee = ana.remember("tea", "coffee")
    ana.merge(traceIds=[tea, coffee], mergedContent="drinks")
    assert ana.add(facts=["coffee"])["saved"] == [{"id": coffee, "content": "coffee"}]
    assert sorted(ana.all()) == ["coffee", "drinks"]


def test_a_fact_that_an_updated_trace_says_is_known(ana: Caller) -> None:
    (trace,) = ana.remember("tea")
    ana.update(traceId=trace, content="coffee")
    assert ana.add(facts=["Coffee"])["duplicates"][0]["id"] == trace
    assert ana.all() == ["coffee"]


def test_the_old_text_of_an_updated_trace_can_be_added(ana: Caller) -> None:
    (trace,) = ana.remember("tea")
    ana.update(traceId=trace, content="coffee")
    (spare,) = ana.remember("tea")
    assert spare != trace
    assert sorted(ana.all()) == ["coffee", "tea"]
    assert ana.add(facts=["tea"])["duplicates"][0]["id"] == spare


def test_a_text_that_no_trace_says_any_more_can_be_added(ana: Caller) -> None:
    (trace,) = ana.remember("tea")
    ana.update(traceId=trace, content="coffee")
    ana.delete(traceId=trace)
    assert ana.add(facts=["coffee"])["message"] == "Saved 1 fact(s) to memory."
    assert ana.all() == ["coffee"]


def test_texts_that_moved_between_traces_are_all_known(ana: Caller) -> None:
    one, two = ana.remember("one", "two")
    ana.update(traceId=one, content="three")
    ana.update(traceId=two, content="one")
    reply = ana.add(facts=["one", "two", "three"])
    assert {name["content"]: name["id"] for name in reply["duplicates"]} == {"one": two, "three": one}
    assert [one["content"] for one in reply["saved"]] == ["two"]


def test_a_fact_too_large_saves_nothing_and_tells_size_and_limit(ana: Caller) -> None:
    with pytest.raises(TooLarge) as error:
        ana.add(facts=["fine", "é" * 40_000])
    assert error.value.details["size"] == 80_000
    assert error.value.details["limit"] == 65_536
    assert ana.all() == []


def test_more_than_a_transaction_can_hold_is_refused_whole(moto_memory: Backend, scope: Scope) -> None:
    ana = Caller(moto_memory, scope)
    facts = [f"fact {number}" for number in range(100)]
    ids = [one["id"] for one in ana.add(facts=facts)["saved"]]
    for half in (ids[:50], ids[50:]):
        ana.merge(traceIds=half, mergedContent=f"half of {half[0]}")
    with pytest.raises(TooLarge) as refused:
        ana.add(facts=facts)
    assert refused.value.details == {"size": 102, "limit": 100}
    assert len(ana.all()) == 2
    assert ana.add(facts=facts[:50])["message"] == "Saved 50 fact(s) to memory."


def test_an_expired_fact_is_gone_and_can_be_added_again(ana: Caller, clock: FakeClock) -> None:
    until = (clock.now() + timedelta(hours=1)).isoformat()
    (trace,) = ana.remember("bread", expiresAt=until)
    ana.update(traceId=trace, content="cake")
    ana.add(facts=["milk is in the fridge"], expiresAt=until)
    assert ana.contents("milk") == ["milk is in the fridge"]
    clock.advance(timedelta(hours=2))
    assert ana.contents("milk") == ana.all() == []
    assert ana.remember("cake") != [trace]
    assert ana.add(facts=["milk is in the fridge"])["message"] == "Saved 1 fact(s) to memory."
    assert ana.contents("milk") == ["milk is in the fridge"]


def test_an_expiry_in_the_past_is_refused(ana: Caller) -> None:
    with pytest.raises(InvalidArguments, match="expiresAt"):
        ana.add(facts=["tea"], expiresAt="2020-01-01")
