"""Finds terms that share parts with a word: its inflected forms, compounds of it, the word behind a particle.

Words are compared by their parts of two and three characters (G. Adamson and J. Boreham, "The use of an association
measure based on character structure to identify semantically related pairs of words and document titles", 1974).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

# Dice's coefficient: twice the number of shared parts, divided by that of all parts of both.
_LIKE = 0.3
_SHORTEST = 3  # letters of ASCII; shorter words are in too many others. Elsewhere two: a syllable each in Korean
_HASH = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: D. Knuth, TAOCP 3, 6.4


class Kin:
    """The parts of a sorted array of terms. Made when it is first asked."""

    def __init__(self, keys: NDArray[np.bytes_]) -> None:
        self._keys = keys
        self._parts: NDArray[np.uint64] | None = None
        self._owners: NDArray[np.int64] = np.zeros(0, np.int64)
        self._sizes: NDArray[np.int64] = np.zeros(0, np.int64)

    def of(self, term: str) -> Iterator[tuple[bytes, float]]:
        """The keys of similar terms, and their similarity to the term, from 0.3 to 1."""
        if len(term) < (_SHORTEST if term.isascii() else 2) or not len(self._keys):
            return
        if self._parts is None:
            self._parts, self._owners, self._sizes = _parts_of(
                [bytes(key).decode(errors="replace") for key in self._keys]
            )
        wanted, _, (size,) = _parts_of([term])
        first, last = (np.searchsorted(self._parts, wanted, side) for side in ("left", "right"))
        spans = [self._owners[one:other] for one, other in zip(first, last, strict=True)]
        shared = np.bincount(np.concatenate(spans), minlength=len(self._keys))
        likeness = 2 * shared / (self._sizes + size)
        for number in np.flatnonzero(likeness >= _LIKE):
            yield bytes(self._keys[number]), float(likeness[number])


def _parts_of(words: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct parts of words as sorted numbers, the word of each, and how many each word has."""
    letters = np.array(words).view(np.uint32).reshape(len(words), -1).astype(np.uint64)
    found = []
    for size in (2, 3):
        codes = np.zeros((len(words), max(letters.shape[1] - size + 1, 0)), np.uint64)
        for offset in range(size):
            codes = codes * _HASH + letters[:, offset : offset + codes.shape[1]] + np.uint64(1)
        there = letters[:, size - 1 :] > 0
        owners = np.broadcast_to(np.arange(len(words))[:, np.newaxis], codes.shape)[there]
        found.append(np.stack([codes[there], owners.astype(np.uint64)]))
    codes, owners = np.concatenate(found, axis=1)
    order = np.lexsort((owners, codes))
    codes, owners = codes[order], owners[order].astype(np.int64)
    first = np.ones(len(codes), bool)
    first[1:] = (np.diff(codes) != 0) | (np.diff(owners) != 0)
    return codes[first], owners[first], np.bincount(owners[first], minlength=len(words))
