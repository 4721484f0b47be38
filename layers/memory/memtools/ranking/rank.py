"""Ranks the traces that answer a query, by words, meaning, neighbours in time, and names.

docs/decisions/0004-ranking.md has the measurements behind every constant here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memtools.domain.text import is_common, is_english
from memtools.domain.trace import Embedding
from memtools.ranking.columns import Rows, microseconds
from memtools.ranking.index import Floats, Index, Matches
from memtools.ranking.terms import asks, names, parts, terms, words

# Saturation and length normalisation of BM25.
_K1 = 0.9
_B = 0.2
# A text with the rarest words of the question says all that a text could: words are a share of what so many terms give.
_CARRYING = 5
# A sentence that carries less than this share of what the whole message does counts less. If others end with a question
# mark and it does not, it counts by this factor.
_UNKNOWN = 0.4
_CARRIES_ENOUGH = 0.3
_NO_QUESTION = 0.7
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
# What scores less than this share of the best hit is left out. In a scope of few traces, what is far below the best is
# rarely another answer, so there this is added: all of it for some 20, where 50 / (n + 30) reaches 1, less for more
# traces, and less for fewer than that (n / (n + 2)), where only one or two hits are at stake.
_OF_THE_BEST = 0.4
_MORE_OF_FEW = 0.31
# A word that is no common English one, a number or an id is asked for on purpose. If at most this many traces have it,
# the best of them is among the first 20 hits. A question has so many such terms at most: numbers, then the rarest.
_RARE = 10
_SURE_TERMS = 15
_SURE_HITS = 20
# Vectors are first compared by their signs. Then this many of the best traces are taken together with their neighbours,
# and this many of all these are compared exactly, which is more than a search may return.
_SEEDS = 100
_CANDIDATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query. ``embeddings`` are those of the parts of ``text``, in order; ``None`` if there is none.

    ``tags``, ``any_tags`` and ``without_tags`` are folded: a trace must have all of the first, one of the second if
    there are any, and none of the third. ``since`` and ``until`` are inclusive.
    """

    text: str
    embeddings: Sequence[Embedding | None]
    now: datetime
    tags: frozenset[str] = frozenset()
    any_tags: frozenset[str] = frozenset()
    without_tags: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    def admits(self, index: Index) -> NDArray[np.bool_]:
        """Which traces match the filters and have not expired."""
        admitted = index.alive(self.now)
        if self.since is not None:
            admitted &= index.when >= microseconds(self.since)
        if self.until is not None:
            admitted &= index.when <= microseconds(self.until)
        if self.tags:
            admitted &= index.tagged(self.tags)
        if self.any_tags:
            admitted &= index.tagged_any(self.any_tags)
        return admitted & ~index.tagged_any(self.without_tags) if self.without_tags else admitted


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


def rank(index: Index, query: Query, *, floor: float) -> "Ranking":
    """Rank the traces that match the filters and score at least ``floor``, some hundred at most.

    Scores of different queries are comparable: if nothing answers a query, all its scores are low. A floor of 0 leaves
    out nothing that has a score.
    """
    admitted = query.admits(index)
    vocabulary = _Vocabulary(index, query.text)
    scored = [
        _Scored(vocabulary, part, embedding, admitted)
        for part, embedding in zip(parts(query.text), query.embeddings, strict=True)
    ]
    for one, weight in zip(scored, _weights(vocabulary, query.text), strict=True):
        one.final *= np.float32(weight)
    best = np.zeros(len(index), np.float32)
    for one in scored:
        best[one.places] = np.maximum(best[one.places], one.final)
    hits = _hits(best, len(index), floor)
    sure = list(_asked_for(index, query.text, admitted, best))
    if sure:
        best[sure] = np.maximum(best[sure], max(floor, _last_sure(best)))
        hits[sure] = True
    for place in _named(index, query.text):
        best[place] = 1
        hits[place] = admitted[place]
    places = np.flatnonzero(hits)
    order = np.lexsort((~np.isin(places, sure), -best[places]))
    return Ranking(int(admitted.sum()) - len(places), index, scored, best, places[order])


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of a query, best first. ``below_floor`` counts the other traces that match its filters."""

    below_floor: int
    _index: Index
    _scored: Sequence["_Scored"]
    _scores: Floats
    _places: Rows

    def __iter__(self) -> Iterator[Ranked]:
        for place in self._places.tolist():
            part = max(self._scored, key=lambda one: one.at(place))
            yield part.explained(self._index, place, min(float(self._scores[place]), 1.0))


def _weights(vocabulary: "_Vocabulary", text: str) -> list[float]:
    """The weight of each part of a message: 1 for the question, less for what has little to do with it."""
    found = parts(text)
    enough = vocabulary.carried(text) * _CARRIES_ENOUGH
    if len(found) == 1 or not enough:
        return [1.0] * len(found)
    one_asks = any(map(asks, found))
    return [
        min(vocabulary.carried(part) / enough, 1) * (_NO_QUESTION if one_asks and not asks(part) else 1)
        for part in found
    ]


def _hits(scores: Floats, size: int, floor: float) -> NDArray[np.bool_]:
    """Which scores are high enough, by themselves and beside the best; all with a floor of 0."""
    if not floor:
        return np.asarray(scores > 0)
    share = _OF_THE_BEST + _MORE_OF_FEW * min(50 / (size + 30), 1) * size / (size + 2)
    return np.asarray((scores >= floor) & (scores > 0) & (scores >= share * scores.max(initial=0)))


def _asked_for(index: Index, text: str, admitted: NDArray[np.bool_], scores: Floats) -> Iterator[int]:
    """For each of the rarest terms that is asked for on purpose: the best of the traces that have it."""
    uncommon = [term for word in words(text) if not is_common(word) for term in terms(word)]
    uncommon += filter(_is_numeric, terms(text))
    having = {term: index.having(index.with_term(term)[0]) for term in dict.fromkeys(uncommon)}
    rare = {term: places[admitted[places]] for term, places in having.items() if 0 < len(places) <= _RARE}
    weights = np.zeros(len(index), np.float32)  # a trace with several of them is more probably what is asked for
    for term, places in rare.items():
        weights[places] += index.rarity(len(having[term]))
    best = {
        term: int(places[np.lexsort((scores[places], weights[places]))[-1]])
        for term, places in rare.items()
        if len(places)
    }
    order = sorted(best, key=lambda term: (not _is_numeric(term), -weights[best[term]]))
    yield from list(dict.fromkeys(best[term] for term in order))[:_SURE_TERMS]


def _is_numeric(term: str) -> bool:
    return any(map(str.isdigit, term))


def _last_sure(scores: Floats) -> float:
    """The score that is enough to be among the first hits, whatever other terms are asked for."""
    rank = _SURE_HITS - _SURE_TERMS
    return float(np.partition(scores, -rank)[-rank]) if len(scores) > rank else 0


def _named(index: Index, text: str) -> list[int]:
    """The places of traces whose ids are in the text."""
    found = [word.strip("\"'`.,;:()?") for word in dict.fromkeys(text.split())]
    likely = [word for word in found if len(found) == 1 or any(map(str.isdigit, word))]
    return [int(place) for word in likely for place in index.find(word)]


class _Vocabulary:
    """What the scope knows of a question's terms."""

    def __init__(self, index: Index, text: str) -> None:
        self.index = index
        # English is stemmed. Words of other languages are compared by their parts.
        self._english = is_english(text)
        self._matches = index.lookup if self._english else index.kin
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
        """The sum of the rarities of its rarest terms.

        Without a list of stop words, what the scope does not have may as well belong to grammar.
        """
        unknown = 1 if self._english else _UNKNOWN
        rarities = [self.index.rarity(len(one)) * (1 if len(one) else unknown) for _, one in self.lists(text).values()]
        return sum(sorted(rarities, reverse=True)[:_CARRYING])


class _Scored:
    """The candidates for a part of a question, with their scores."""

    def __init__(
        self, vocabulary: _Vocabulary, text: str, embedding: Embedding | None, admitted: NDArray[np.bool_]
    ) -> None:
        index = vocabulary.index
        lists = vocabulary.lists(text)
        meaning = _Meaning(index, embedding)
        self._words = _words(index, vocabulary.carried(text), list(lists.values()))
        scores = _own(self._words, meaning.estimated(), meaning.known)
        self.places = places = _candidates(index, scores, admitted)
        self._exact = meaning.exactly(places)
        self._known = meaning.known[places]
        scores[places] = self._own = _own(self._words[places], self._exact, self._known)
        self._boosted = _boosted(index, scores, places)
        self._factors = _factors(len(index), [lists[name][1] for name in names(text) if name in lists])[places]
        self._meaning_only = 1 if self._words.any() else _MEANING_ALONE
        self.final: Floats = _SCALE * self._meaning_only * self._boosted * self._factors

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


def _words(index: Index, carried: float, lists: Sequence[tuple[Matches, Rows]]) -> Floats:
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
