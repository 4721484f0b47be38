"""How well each trace answers one sentence: by words, meaning, neighbours in time, and names.

docs/decisions/0004-ranking.md has the measurements behind every constant here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memtools.domain.text import is_english
from memtools.domain.trace import Embedding
from memtools.ranking.columns import Rows
from memtools.ranking.index import Floats, Index, Matches
from memtools.ranking.terms import names, terms

# Saturation and length normalisation of BM25.
_K1 = 0.9
_B = 0.2
# A text with the rarest words of the question says all that a text could: words are a share of what so many terms give.
_CARRYING = 5
# What a term counts that the scope does not have, if the question is not English: it may as well belong to grammar.
_UNKNOWN = 0.4
# The weights of words and meaning, the weight of words for traces without a vector, and the factor for meaning if no
# trace has any of the words.
_WORDS = 0.6
_MEANING = 0.4
_WORDS_ALONE = 1.75
_MEANING_ALONE = 2
# What all traces of a scope have in common does not distinguish them. So this share of the mean direction is
# subtracted, where the mean includes this many zero vectors.
_CENTRING = 0.6
_PRIOR = 30
# Neighbours in time raise a score: these shares of the cubes of their scores are added to its cube, for the first,
# second and third neighbour on either side, if they are at most a day away. A trace must have at least this score of
# its own to be raised. In a scope of few traces all are neighbours, so with n traces the shares are n / (n + 60) of
# these.
_NEIGHBOUR_WEIGHTS = (1 / 4, 1 / 6, 1 / 12)
_DISTANCES = np.array([1, 2, 3, -1, -2, -3])
_DAY = 24 * 60 * 60 * 1_000_000  # microseconds
_MIN_SCORE_TO_BOOST = 0.05
_MANY = 60
# The factor for a trace that has none of the names in the query, because it is probably about somebody else.
_NAME_MISMATCH_PENALTY = 0.6
# Makes a text that says exactly what the query asks for score about 1.
_SCALE = 1.36
# Vectors are first compared by their signs. Then this many of the best traces are taken together with their neighbours,
# and this many of all these are compared exactly, which is more than a search may return.
_SEEDS = 100
_CANDIDATES = 200


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


class Vocabulary:
    """What the scope knows of a question's terms."""

    def __init__(self, index: Index, text: str) -> None:
        self.index = index
        # English is stemmed. Words of other languages are compared by their parts.
        english = is_english(text)
        self._matches = index.lookup if english else index.kin
        self._unknown = 1 if english else _UNKNOWN
        self._lists: dict[str, tuple[Matches, Rows]] = {}

    def lists(self, text: str) -> dict[str, tuple[Matches, Rows]]:
        """For each term of a text: the passages that have it, how often, and the places of their traces."""
        return {term: self._list(term) for term in terms(text)}

    def _list(self, term: str) -> tuple[Matches, Rows]:
        if term not in self._lists:
            matches = self._matches(term)
            self._lists[term] = matches, self.index.having(matches[0])
        return self._lists[term]

    def carried(self, text: str) -> float:
        """The sum of the rarities of its rarest terms."""
        places = [places for _, places in self.lists(text).values()]
        rarities = [self.index.rarity(len(one)) * (1 if len(one) else self._unknown) for one in places]
        return sum(sorted(rarities, reverse=True)[:_CARRYING])


class Scored:
    """The candidates for a sentence, with their scores. The ``weight`` is that of the sentence in its message."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        text: str,
        weight: float,
        embedding: Embedding | None,
        admitted: NDArray[np.bool_],
    ) -> None:
        index = vocabulary.index
        lists = vocabulary.lists(text)
        meaning = _Meaning(index, embedding)
        self._words = _word_scores(index, vocabulary.carried(text), list(lists.values()))
        scores = _own(self._words, meaning.estimated(), meaning.known)
        self.places = places = _candidates(index, scores, admitted)
        self._exact = meaning.exactly(places)
        self._known = meaning.known[places]
        scores[places] = self._own = _own(self._words[places], self._exact, self._known)
        self._boosted = _boosted(index, scores, places)
        self._factors = _factors(len(index), [lists[name][1] for name in names(text) if name in lists])[places]
        self._meaning_only = 1 if self._words.any() else _MEANING_ALONE
        self.final: Floats = weight * _SCALE * self._meaning_only * self._boosted * self._factors

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {place: row for row, place in enumerate(self.places.tolist())}

    def at(self, place: int) -> float:
        """The score of the trace there, -1 if it is no candidate."""
        return float(self.final[self._rows[place]]) if place in self._rows else -1.0

    def explained(self, index: Index, place: int, score: float) -> Ranked:
        """The trace there, with the parts of its score."""
        if place not in self._rows:
            return Ranked(*index.identity(place), score, 0.0, None, 1.0, 1.0, self._meaning_only)
        row = self._rows[place]
        own = float(self._own[row])
        return Ranked(
            *index.identity(place),
            score=score,
            word_score=float(self._words[place]),
            meaning_score=float(self._exact[row]) if self._known[row] else None,
            neighbour_factor=float(self._boosted[row]) / own if own else 1.0,
            name_factor=float(self._factors[row]),
            meaning_only_factor=self._meaning_only,
        )


def _word_scores(index: Index, carried: float, lists: Sequence[tuple[Matches, Rows]]) -> Floats:
    """The BM25 score of each trace's best passage, as a share of what the rarest terms of the question could give.

    S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
    """
    scores = np.zeros(len(index.relative_lengths), np.float32)
    for (passages, counts), places in lists:
        rarity = np.float32(index.rarity(len(places)) * (_K1 + 1))
        lengths = index.relative_lengths[passages]
        scores[passages] += (
            rarity * counts / (counts + np.float32(_K1) * (np.float32(1 - _B) + np.float32(_B) * lengths))
        )
    if carried:
        scores /= np.float32(carried * (_K1 + 1))
    return np.minimum(index.best_passages(scores), 1)


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
    weights = np.array(_NEIGHBOUR_WEIGHTS * 2, np.float32) * np.float32(len(index) / (len(index) + _MANY))
    boosted = np.cbrt(_cube(own) + (_cube(scores[neighbours]) * near) @ weights)
    return np.where(own >= _MIN_SCORE_TO_BOOST, boosted, own)


def _cube(scores: Floats) -> Floats:
    return scores * scores * scores


def _factors(size: int, lists: list[Rows]) -> Floats:
    """The name factor of each trace: 1 if it has any of the names, whose places these are, or if there are none."""
    if not lists:
        return np.ones(size, np.float32)
    factors = np.full(size, _NAME_MISMATCH_PENALTY, np.float32)
    for places in lists:
        factors[places] = 1
    return factors
