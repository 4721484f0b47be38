"""An index counts what it takes, so that the cache's bound is one."""

import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest
from memtools.domain.trace import Embedding, Trace
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank

START = datetime(2026, 11, 30, tzinfo=UTC)
WORDS = "apple bear cat dog egg fish goat hat ice jam kite lamp moon nest oak pen queen rain sun tree".split()  # noqa: SIM905


def traces(count: int, scope: int) -> list[Trace]:
    return [
        Trace(
            id=f"mt_{scope * 100_003 + number:032x}",
            content=" ".join(WORDS[number % 7 : number % 7 + 14]) + f" u{scope}x{number}",
            created_at=START,
            changed_at=START + timedelta(microseconds=number),
            embedding=Embedding("m", bytes((number + place) % 255 for place in range(384))),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("text", ["apple moon", "яблоко луна"])  # words of another language are compared by parts
@pytest.mark.parametrize("compacted", [False, True])
@pytest.mark.parametrize(("count", "scopes"), [(0, 200), (1, 200), (5, 200), (50, 30), (1000, 3)])
def test_an_index_counts_what_it_takes(count: int, scopes: int, compacted: bool, text: str) -> None:
    """FAULTS B8: within a quarter, from an empty scope to a large one, after it was searched."""
    given = [traces(count, scope) for scope in range(scopes)]
    query = Query(text=text, embeddings=[None], now=START + timedelta(days=1))

    def searched(traces: list[Trace]) -> Index:
        index = Index.empty("m").fold(traces)
        index = index.compacted(query.now) if compacted else index
        list(rank(index, query, floor=0.0))
        return index

    searched(given[0])
    tracemalloc.start()
    kept = [searched(traces) for traces in given]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.75 < sum(index.size for index in kept) / taken < 1.25
