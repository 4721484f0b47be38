"""memory_search: what the table holds at that moment, and only what the caller may see."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding
from memtools.errors import InvalidArguments

from tests.calls import Caller


class BrokenEmbedder:
    model = "fake"

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [None] * len(texts)


@pytest.mark.parametrize("query", [" ", "\n\t"])
def test_a_blank_query_points_to_memory_list(ana: Caller, query: str) -> None:
    with pytest.raises(InvalidArguments, match="memory_list"):
        ana.search(query=query)


def test_a_hit_is_complete_and_counted(ana: Caller) -> None:
    (trace,) = ana.remember("tea at five", tags=["habit"], occurredAt="2026-01-02T03:04:05Z")
    ana.search(query="tea")
    hit = ana.search(query="tea")["results"][0]
    assert hit["id"] == trace
    assert (hit["content"], hit["tags"], hit["version"], hit["retrievalCount"]) == ("tea at five", ["habit"], 1, 2)
    assert hit["occurredAt"] == "2026-01-02T03:04:05Z"
    assert 0 < hit["score"] <= 1
    assert {"createdAt", "updatedAt", "lastRetrievedAt"} <= set(hit)


def test_only_hits_are_counted_not_candidates(ana: Caller) -> None:
    ana.remember("tea one", "tea two", "tea three")
    found = ana.search(query="tea", limit=1)["results"]
    assert len(found) == 1
    assert sum(one["retrievalCount"] for one in ana.list()["results"]) == 1


def test_tags_and_time_narrow_a_search(ana: Caller) -> None:
    ana.remember("tea in January", tags=["Home", "drink"], occurredAt="2026-01-10")
    ana.remember("tea in June", tags=["drink"], occurredAt="2026-06-10")
    ana.remember("tea now")
    assert set(ana.contents("tea", tags=["drink"])) == {"tea in January", "tea in June"}
    assert ana.contents("tea", tags=["DRINK", "home"]) == ["tea in January"]
    assert set(ana.contents("tea", since="2026-06-10")) == {"tea in June", "tea now"}
    assert set(ana.contents("tea", until="2026-06-10")) == {"tea in January", "tea in June"}
    assert ana.contents("tea", since="2026-02-01", until="2026-06-09") == []


def test_without_the_model_add_works_and_search_uses_words_only(fake_memory: Backend, scope: Scope) -> None:
    """Neither tool fails because of the model, and the search says that it used words only."""
    broken = Caller(replace(fake_memory, embedder=BrokenEmbedder()), scope)
    broken.remember("likes tea")
    found = broken.search(query="tea")
    assert [hit["content"] for hit in found["results"]] == ["likes tea"]
    assert "words only" in found["note"]
    healed = Caller(fake_memory, scope)
    assert healed.contents("tea") == ["likes tea"]


def test_an_outdated_form_of_a_trace_is_never_returned(fake_memory: Backend, scope: Scope) -> None:
    """The index proposes, the table disposes: here the index is one that knows nothing of the change."""
    ana = Caller(fake_memory, scope)
    (old, stays) = ana.remember("tea old", "tea stays")
    ana.search(query="tea")
    stale = fake_memory.indexes.cached(scope)
    assert stale is not None

    class Frozen:
        def __getattr__(self, name: str) -> object:
            return (lambda *_: []) if name == "changes" else getattr(fake_memory.traces, name)

    ana.update(traceId=old, content="coffee")
    behind = Caller(replace(fake_memory, traces=Frozen()), scope)  # type: ignore[arg-type]
    behind.memory.indexes.keep(scope, stale)
    assert [hit["id"] for hit in behind.search(query="tea")["results"]] == [stays]


def test_any_of_some_tags_and_none_of_others(ana: Caller) -> None:
    ana.remember("green tea", tags=["drink"])
    ana.remember("tea cake", tags=["Food"])
    ana.remember("tea shop", tags=["food", "place"])
    ana.remember("tea time")
    assert set(ana.contents("tea", anyTags=["DRINK", "place"])) == {"green tea", "tea shop"}
    assert set(ana.contents("tea", withoutTags=["food"])) == {"green tea", "tea time"}
    assert ana.contents("tea", tags=["food"], anyTags=["place", "drink"], withoutTags=["drink"]) == ["tea shop"]
    assert ana.contents("tea", anyTags=["nowhere"]) == []


def test_an_empty_memory_and_an_unfitting_question_differ(ana: Caller) -> None:
    assert ana.search(query="oboe") == {"results": [], "belowFloor": 0}
    ana.remember("likes green tea", "lives in Porto", "was born in May")
    found = ana.search(query="Who plays the oboe?")
    assert found["results"] == []
    assert found["belowFloor"] == 3
    assert ana.search(query="green tea")["belowFloor"] == 2
    assert ana.search(query="oboe", tags=["music"])["belowFloor"] == 0


def test_a_token_budget_takes_whole_hits_best_first_and_tells_what_it_left_out(ana: Caller) -> None:
    ana.remember(*(f"tea number {number} " + "from the old shop in the harbour " * 3 for number in range(8)))
    everything = ana.search(query="tea")["results"]
    assert len(everything) == 8
    taken = []
    for budget in (1, 150, 400, 100_000):
        found = ana.search(query="tea", tokenBudget=budget)
        hits = [hit["id"] for hit in found["results"]]
        assert hits == [hit["id"] for hit in everything][: len(hits)]
        assert found.get("beyondBudget", 0) == 8 - len(hits)
        assert len(json.dumps(found["results"])) <= 4.2 * budget + 100
        taken.append(len(hits))
    assert taken == sorted(taken)
    assert (taken[0], taken[-1]) == (0, 8)
    assert 0 < taken[1] < taken[2] < 8


def test_a_text_in_another_language_is_found_and_not_embedded_again_and_again(
    fake_memory: Backend, scope: Scope
) -> None:
    class EnglishOnly:
        model = "fake"
        asked = 0

        def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
            EnglishOnly.asked += len(texts)
            return [Embedding("fake", b"")] * len(texts)

    memory = Caller(replace(fake_memory, embedder=EnglishOnly()), scope)
    memory.remember("Мою собаку зовут Шарик", "Я пью чай")
    found = memory.search(query="Где собака?")
    assert [hit["content"] for hit in found["results"]] == ["Мою собаку зовут Шарик"]
    assert "note" not in found
    memory.search(query="чай")
    assert EnglishOnly.asked == 4  # two facts and two questions
