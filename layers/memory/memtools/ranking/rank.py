"""Which traces answer a message, and which of them a search returns.

docs/decisions/0004-ranking.md has the measurements behind every constant here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memtools.domain.text import is_common
from memtools.domain.trace import Embedding
from memtools.ranking.columns import Rows, microseconds
from memtools.ranking.index import Floats, Index
from memtools.ranking.score import Ranked, Scored, Vocabulary
from memtools.ranking.terms import asks, sentences, terms, words

# A sentence that carries less than this share of what the whole message does counts less. If others end with a question
# mark and it does not, it counts by this factor.
_CARRIES_ENOUGH = 0.3
_NO_QUESTION = 0.7
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query. ``embeddings`` are those of the sentences of ``text``, in order; ``None`` if there is none.

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


def rank(index: Index, query: Query, *, floor: float) -> "Ranking":
    """Rank the traces that match the filters and score at least ``floor``, some hundred at most.

    Scores of different queries are comparable: if nothing answers a query, all its scores are low. A floor of 0 leaves
    out nothing that has a score.
    """
    admitted = query.admits(index)
    vocabulary = Vocabulary(index, query.text)
    message = sentences(query.text)
    scored = [
        Scored(vocabulary, sentence, weight, embedding, admitted)
        for sentence, weight, embedding in zip(
            message, _weights(vocabulary, query.text, message), query.embeddings, strict=True
        )
    ]
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
    _scored: Sequence[Scored]
    _scores: Floats
    _places: Rows

    def __iter__(self) -> Iterator[Ranked]:
        for place in self._places.tolist():
            part = max(self._scored, key=lambda one: one.at(place))
            yield part.explained(self._index, place, min(float(self._scores[place]), 1.0))


def _weights(vocabulary: Vocabulary, text: str, message: Sequence[str]) -> list[float]:
    """The weight of each sentence of a message: 1 for the question, less for what has little to do with it."""
    enough = vocabulary.carried(text) * _CARRIES_ENOUGH
    if len(message) == 1 or not enough:
        return [1.0] * len(message)
    one_asks = any(map(asks, message))
    return [
        min(vocabulary.carried(one) / enough, 1) * (_NO_QUESTION if one_asks and not asks(one) else 1)
        for one in message
    ]


def _hits(scores: Floats, size: int, floor: float) -> NDArray[np.bool_]:
    """Which scores are high enough, by themselves and beside the best; all with a floor of 0."""
    if not floor:
        return np.asarray(scores > 0)
    share = _OF_THE_BEST + _MORE_OF_FEW * min(50 / (size + 30), 1) * size / (size + 2)
    return np.asarray((scores >= floor) & (scores > 0) & (scores >= share * scores.max(initial=0)))


def _asked_for(index: Index, text: str, admitted: NDArray[np.bool_], scores: Floats) -> Iterator[int]:
    """The best trace for each term that is asked for on purpose: first for numbers, then for the rarest together."""
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
