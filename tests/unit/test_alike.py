"""Which pairs are looked at for near-duplicates."""

from datetime import UTC, datetime, timedelta
from itertools import combinations
from unittest.mock import patch

import numpy as np
from memtools.domain.trace import Embedding, Trace
from memtools.ranking import alike as duplicates
from memtools.ranking.index import Index

NOW = datetime(2026, 3, 1, tzinfo=UTC)
COUNT = 40


def many_alike() -> tuple[Index, np.ndarray]:
    """Traces without a rare word in common, all of which mean about the same, and the cosine of each two."""
    chance = np.random.default_rng(7)
    vectors = (100 + chance.integers(-25, 25, (COUNT, 16))).astype(np.int8)
    traces = [
        Trace(
            id=f"t{number:02}",
            content=f"word{number}",
            created_at=NOW + timedelta(minutes=number),
            changed_at=NOW,
            embedding=Embedding("m", vector.tobytes()),
        )
        for number, vector in enumerate(vectors)
    ]
    directions = vectors / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    return Index.empty("m").fold(traces), directions @ directions.T


def test_of_too_many_similar_pairs_the_closest_are_compared() -> None:
    index, cosines = many_alike()
    every = sorted(combinations(range(COUNT), 2), key=lambda pair: -cosines[pair])
    with patch.object(duplicates, "_MOST_PAIRS", 25), patch.object(duplicates, "_BLOCK", 8):
        found = duplicates.proposed(index, index.alive(NOW), COUNT**2)
    assert [pair.ids for pair in found] == [(f"t{one:02}", f"t{other:02}") for one, other in every[:25]]


def test_few_pairs_are_all_compared_once() -> None:
    index, _ = many_alike()
    with patch.object(duplicates, "_BLOCK", 8):
        found = [pair.ids for pair in duplicates.proposed(index, index.alive(NOW), COUNT**2)]
    assert len(found) == len(set(found)) == COUNT * (COUNT - 1) // 2
    assert all(earlier < later for earlier, later in found)
