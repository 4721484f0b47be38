"""Ranks the traces that answer a query, by words, meaning, neighbours in time, and names.

docs/decisions/0004-ranking.md has the measurements behind every constant here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memtools.domain.trace import Embedding
from memtools.ranking.columns import Rows, microseconds
from memtools.ranking.index import Floats, Index, Matches
from memtools.ranking.terms import names, terms

# Saturation and length normalisation of BM25.
_K1 = 0.9
_B = 0.2
# The weights of words and meaning, the weight of words for traces without a vector, and the factor for meaning if no
# trace has any of the words.
_WORDS = 0.6
_MEANING = 0.4
_WORDS_ALONE = 1.75
_MEANING_ALONE = 2
# What all traces of a scope have in common does not distinguish them. So this share of the mean direction is
# subtracted, where the mean includes this many zero vectors.
_CENTRING = 0.5
_PRIOR = 30
# Neighbours in time raise a score: these shares of the cubes of their scores are added to its cube, for the first,
# second and third neighbour on either side, if they are at most a day away. A trace must have at least this score of
# its own to be raised.
_NEIGHBOUR_WEIGHTS = (1 / 4, 1 / 6, 1 / 12)
_DISTANCES = np.array([1, 2, 3, -1, -2, -3])
_DAY = 24 * 60 * 60 * 1_000_000  # microseconds
_MIN_SCORE_TO_BOOST = 0.08
# The factor for a trace that has none of the names in the query, because it is probably about somebody else.
_NAME_MISMATCH_PENALTY = 0.6
# Makes a text that says exactly what the query asks for score about 1.
_SCALE = 1.3
# Vectors are first compared by their signs. Then this many of the best traces are taken together with their neighbours,
# and this many of all these are compared exactly, which is more than a search may return.
_SEEDS = 100
_CANDIDATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query. ``tags`` are folded, and a trace must have them all. ``since`` and ``until`` are inclusive."""

    text: str
    embedding: Embedding | None
    now: datetime
    tags: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    def admits(self, index: Index) -> NDArray[np.bool_]:
        """Which traces match the filters and have not expired."""
        admitted = index.alive(self.now)
        if self.since is not None:
            admitted &= index.when >= microseconds(self.since)
        if self.until is not None:
            admitted &= index.when <= microseconds(self.until)
        return admitted & index.tagged(self.tags) if self.tags else admitted


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate: a trace at the version that the index has, its score from 0 to 1, and the parts of the score.

    ``word_score`` is the BM25 score as a share of the highest possible one for this query. ``meaning_score`` is the
    cosine, ``None`` if either side has no vector. ``neighbour_factor`` is above 1 if neighbours in time match too,
    ``name_factor`` below 1 if the trace has none of the names in the query, and ``meaning_only_factor`` 2 if no trace
    has any of the words.
    """

    id: str
    version: int
    score: float
    word_score: float
    meaning_score: float | None
    neighbour_factor: float
    name_factor: float
    meaning_only_factor: float


def rank(index: Index, query: Query, *, floor: float) -> Iterator[Ranked]:
    """Yield the traces that match the filters and score at least ``floor``, best first, some hundred at most.

    Scores of different queries are comparable: if nothing answers a query, all its scores are low.
    """
    if not len(index):
        return
    lists = {term: index.lookup(term) for term in terms(query.text)}
    words = _words(index, lists.values())
    meaning = _Meaning(index, query.embedding)
    scores = _own(words, meaning.estimated(), meaning.known)
    places = _candidates(index, scores, query.admits(index))
    exact = meaning.exactly(places)
    scores[places] = own = _own(words[places], exact, meaning.known[places])
    boosted = _boosted(index, scores, places)
    factors = _factors(len(index), [lists[name] for name in names(query.text) if name in lists])[places]
    meaning_only = 1 if words.any() else _MEANING_ALONE
    final = _SCALE * meaning_only * boosted * factors
    best = np.flatnonzero((final >= floor) & (final > 0))
    for one in best[np.argsort(-final[best], kind="stable")]:
        yield Ranked(
            *index.identity(int(places[one])),
            score=min(float(final[one]), 1.0),
            word_score=float(words[places[one]]),
            meaning_score=float(exact[one]) if meaning.known[places[one]] else None,
            neighbour_factor=float(boosted[one] / own[one]),
            name_factor=float(factors[one]),
            meaning_only_factor=meaning_only,
        )


def _words(index: Index, lists: Iterable[Matches]) -> Floats:
    """The BM25 score of each trace, as a share of the highest possible score for these terms.

    S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
    """
    scores = np.zeros(len(index), np.float32)
    possible = 0.0
    for places, counts in lists:
        most = index.rarity(len(places)) * (_K1 + 1)
        possible += most
        saturation = counts + np.float32(_K1) * (np.float32(1 - _B) + np.float32(_B) * index.relative_lengths[places])
        scores[places] += np.float32(most) * counts / saturation
    return scores / np.float32(possible) if possible else scores


class _Meaning:
    """The cosine of traces with the query, without what all have in common. ``known``: which traces have one."""

    def __init__(self, index: Index, embedding: Embedding | None) -> None:
        self._index = index
        comparable = embedding and embedding.model == index.model and len(embedding.vector) == len(index.total)
        pointing = embedding and comparable and any(embedding.vector)
        self._query = np.frombuffer(embedding.vector, np.int8) if embedding and pointing else None
        self.known = np.zeros(len(index), bool) if self._query is None else index.embedded

    def estimated(self) -> Floats:
        """The cosines of all traces, estimated from signs."""
        return np.zeros(len(self._index), np.float32) if self._query is None else self._index.nearness(self._query)

    def exactly(self, places: Rows) -> Floats:
        """The exact cosines of the traces at ``places``."""
        if self._query is None:
            return np.zeros(len(places), np.float32)
        query = self._query.astype(np.float32)
        query /= np.linalg.norm(query)
        common = np.float32(_CENTRING / (len(self._index) + _PRIOR)) * self._index.total
        query -= common
        towards, along = self._index.projections(places, np.stack([query, common], axis=1)).T
        lengths = np.sqrt(1 - 2 * along + common @ common) * np.linalg.norm(query)
        cosines: Floats = (towards - common @ query) / lengths
        return cosines


def _own(words: Floats, meaning: Floats, known: NDArray[np.bool_]) -> Floats:
    """The scores of traces without their neighbours; from words only if the meaning is not ``known``."""
    scores = words * np.float32(_WORDS) + meaning.clip(min=0) * np.float32(_MEANING)
    if not known.all():
        scores = np.where(known, scores, np.float32(_WORDS_ALONE) * words)
    return np.asarray(scores, np.float32)


def _candidates(index: Index, scores: Floats, admitted: NDArray[np.bool_]) -> Rows:
    """The admitted places that probably have the best final scores: the best traces and their neighbours."""
    if len(scores) > _CANDIDATES:
        open_to = scores if admitted.all() else np.where(admitted, scores, -1)
        offsets = np.arange(-len(_NEIGHBOUR_WEIGHTS), len(_NEIGHBOUR_WEIGHTS) + 1)
        reached = np.zeros(len(scores), bool)
        reached[np.clip(_best(open_to, _SEEDS)[:, np.newaxis] + offsets, 0, len(scores) - 1)] = True
        places = np.flatnonzero(reached & admitted)
        return np.sort(places[_best(_boosted(index, scores, places), _CANDIDATES)])
    return np.flatnonzero(admitted)


def _best(scores: Floats, most: int) -> Rows:
    return np.argpartition(-scores, most)[:most] if len(scores) > most else np.arange(len(scores))


def _boosted(index: Index, scores: Floats, places: Rows) -> Floats:
    """The scores at ``places``, raised by neighbours in time."""
    own = scores[places]
    wanted = places[:, np.newaxis] + _DISTANCES
    neighbours = np.clip(wanted, 0, len(scores) - 1)
    near = (neighbours == wanted) & (np.abs(index.when[neighbours] - index.when[places][:, np.newaxis]) <= _DAY)
    boosted = np.cbrt(_cube(own) + (_cube(scores[neighbours]) * near) @ np.array(_NEIGHBOUR_WEIGHTS * 2, np.float32))
    return np.where(own >= _MIN_SCORE_TO_BOOST, boosted, own)


def _cube(scores: Floats) -> Floats:
    return scores * scores * scores


def _factors(size: int, lists: list[Matches]) -> Floats:
    """The name factor of each trace: 1 if it is in any of these lists of names, or if there are no lists."""
    if not lists:
        return np.ones(size, np.float32)
    factors = np.full(size, _NAME_MISMATCH_PENALTY, np.float32)
    for places, _ in lists:
        factors[places] = 1
    return factors
