"""Which traces answer a query, and how well: BM25 and cosine, each on a scale of its own, in a weighted sum."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from memtools.retrieval.tokens import terms

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from memtools.domain.trace import Embedding
    from memtools.retrieval.index import Entry, Index

# Saturation and length normalisation of BM25, as Anserini sets them for short passages; measured in
# docs/decisions/0004-ranking.md, like the weight of the words against the meaning.
K1 = 0.9
B = 0.4
WORDS_WEIGHT = 0.6
# In a scope of a few traces every word looks common. Rarity is judged as in one of at least this many.
_SMALLEST_SCOPE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for. ``tags`` are folded; all have to be there. The ends of the span of time belong to it."""

    text: str
    embedding: Embedding | None
    now: datetime
    tags: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    def admits(self, entry: Entry) -> bool:
        """Whether an entry passes the filters and has not expired."""
        return (
            self.tags <= entry.tags
            and (self.since is None or entry.when >= self.since)
            and (self.until is None or entry.when <= self.until)
            and entry.alive(self.now)
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A proposal: a trace at the version that the index knows, and its score from 0 to 1."""

    id: str
    version: int
    score: float


def rank(index: Index, query: Query, *, floor: float) -> list[Ranked]:
    """The entries that the query admits and that score ``floor`` or more, best first.

    The score is absolute, so comparable from query to query: the share of the highest BM25 that this query could get
    anywhere, and the cosine, weighted. Without an embedding of the query the words count alone.
    """
    import numpy as np

    if not index.entries:
        return []
    scores = _words(index, query.text)
    if query.embedding is not None:
        meaning = np.maximum(_cosines(index, query.embedding), 0)
        scores = (WORDS_WEIGHT * scores + (1 - WORDS_WEIGHT) * meaning).astype(np.float32)
    ranked = []
    for row in np.argsort(-scores, kind="stable"):
        score = float(scores[row])
        if score < floor or score <= 0:
            break
        entry = index.entries[row]
        if query.admits(entry):
            ranked.append(Ranked(entry.id, entry.version, min(score, 1.0)))
    return ranked


def _words(index: Index, text: str) -> NDArray[np.float32]:
    """Each row's BM25 as a share of the most that a text could get for these words.

    S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the idf is Lucene's.
    """
    import numpy as np

    count = len(index.entries)
    scores = np.zeros(count, np.float32)
    norms = K1 * (1 - B + B * index.lengths / max(float(index.lengths.mean()), 1.0))
    possible = 0.0
    for term in dict.fromkeys(terms(text)):
        postings = index.postings.get(term, [])
        idf = log(1 + (max(count, _SMALLEST_SCOPE) - len(postings) + 0.5) / (len(postings) + 0.5))
        possible += idf * (K1 + 1)
        if postings:
            rows, counts = np.array(postings).T
            scores[rows] += idf * counts * (K1 + 1) / (counts + norms[rows])
    return scores / possible if possible else scores


def _cosines(index: Index, embedding: Embedding) -> NDArray[np.float32]:
    """Each row's cosine with the query; 0 where a row has no vector of the same model."""
    import numpy as np

    vectors = index.vectors(embedding.model)
    if not vectors.shape[1]:
        return np.zeros(len(vectors), np.float32)
    direction = np.frombuffer(embedding.vector, np.int8).astype(np.float32)
    cosines: NDArray[np.float32] = vectors @ (direction / max(float(np.linalg.norm(direction)), 1.0))
    return cosines
