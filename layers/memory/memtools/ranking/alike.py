"""Finds traces that probably say the same thing, by the words that they share and by their cosine."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memtools.ranking.columns import Rows
from memtools.ranking.index import Floats, Index
from memtools.ranking.terms import terms

# Candidate pairs share a word that at most this many traces have or, in a scope of at most this many traces, have at
# least this cosine.
_RARE = 32
_COMPARED_ALL = 4_096
_NEAR = 0.7
# In a scope that repeats one thing a thousand times, nearly all pairs are similar. So at most this many of the pairs
# that share most words are compared, and as many of those with the highest cosine.
_MOST_PAIRS = 20_000
_BLOCK = 512  # rows or pairs compared in one step

Pairs = NDArray[np.int64]  # [pairs, 2], places; the earlier one first


@dataclass(frozen=True, slots=True)
class Pair:
    """Two traces by their ids, the earlier one first, and their cosine if both have a vector."""

    ids: tuple[str, str]
    cosine: float | None


def proposed(index: Index, admitted: NDArray[np.bool_], most: int) -> list[Pair]:
    """At most ``most`` pairs of admitted traces that may say the same thing, the most likely first."""
    mass, pairs, shared = _sharing_words(index, admitted)
    best = np.argsort(-shared, kind="stable")[:_MOST_PAIRS]
    pairs, shared = pairs[best], shared[best]
    if len(index) <= _COMPARED_ALL:
        near = _near(index, admitted)
        pairs, shared = np.concatenate([pairs, near]), np.concatenate([shared, np.zeros(len(near))])
    pairs, first = np.unique(pairs, axis=0, return_index=True)
    shared = shared[first]
    cosines = _cosines(index, pairs)
    words = shared / np.maximum(mass[pairs].sum(axis=1) - shared, 1e-9)
    likely = np.where(np.isnan(cosines), words, (words + np.maximum(cosines, 0)) / 2)
    return [
        Pair(
            (index.identity(int(pairs[row][0]))[0], index.identity(int(pairs[row][1]))[0]),
            None if np.isnan(cosines[row]) else float(cosines[row]),
        )
        for row in np.argsort(-likely, kind="stable")[:most]
    ]


def alike(index: Index, one: str, other: str, cosine: float | None) -> float:
    """The similarity of two texts, from 0 to 1: the mean of their cosine and of the share of words that both have.

    Words are weighted by their rarity. Without a cosine, only words count.
    """
    either, both = set(terms(one)) | set(terms(other)), set(terms(one)) & set(terms(other))
    rarity = {term: index.rarity(len(index.with_term(term)[0])) for term in either}
    words = sum(rarity[term] for term in both) / max(sum(rarity.values()), 1e-9)
    return words if cosine is None else (words + min(max(cosine, 0), 1)) / 2


def _sharing_words(index: Index, admitted: NDArray[np.bool_]) -> tuple[Floats, Pairs, Floats]:
    """The sum of rarities of each trace, the pairs that share a rare word, and the sums of rarities that they share."""
    mass = np.zeros(len(index), np.float32)
    found: list[Rows] = [np.array([], np.int64)]
    rarities: list[NDArray[np.float64]] = [np.array([])]
    for places, rarity in index.lists():
        mass[places] += rarity
        among = np.sort(places[admitted[places]])
        if 1 < len(among) <= _RARE:
            one, other = np.triu_indices(len(among), 1)
            found.append(among[one] * len(index) + among[other])
            rarities.append(np.full(len(one), rarity))
    keys, numbers = np.unique(np.concatenate(found), return_inverse=True)
    shared = np.bincount(numbers, np.concatenate(rarities), len(keys)).astype(np.float32)
    return mass, np.stack(np.divmod(keys, max(len(index), 1)), axis=1), shared


def _near(index: Index, admitted: NDArray[np.bool_]) -> Pairs:
    """The pairs with a high cosine, at most as many as are compared."""
    places = np.flatnonzero(admitted)
    directions = _directions(index, places)
    pairs, nearness = np.zeros((0, 2), np.int64), np.zeros(0, np.float32)
    for start in range(0, len(places), _BLOCK):
        cosines = np.triu(directions[start : start + _BLOCK] @ directions.T, start + 1)
        one, other = np.nonzero(cosines >= _NEAR)
        pairs = np.concatenate([pairs, np.stack([places[one + start], places[other]], axis=1)])
        nearness = np.concatenate([nearness, cosines[one, other]])
        best = np.argsort(-nearness, kind="stable")[:_MOST_PAIRS]
        pairs, nearness = pairs[best], nearness[best]
    return pairs


def _cosines(index: Index, pairs: Pairs) -> Floats:
    """The cosine of each pair, NaN if either has no vector."""
    cosines = np.full(len(pairs), np.nan, np.float32)
    embedded = np.flatnonzero(index.embedded[pairs].all(axis=1))
    for start in range(0, len(embedded), _BLOCK):
        rows = embedded[start : start + _BLOCK]
        one, other = (_directions(index, pairs[rows, side]) for side in (0, 1))
        cosines[rows] = np.einsum("ij,ij->i", one, other)
    return cosines


def _directions(index: Index, places: Sequence[int] | Rows) -> Floats:
    return index.projections(np.asarray(places), np.eye(len(index.total), dtype=np.float32))
