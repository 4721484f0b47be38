"""Inverted lists as arrays: which passages have which term, how often, and which terms are one slip from another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

_KEY_SIZE = 32  # bytes: whole words in nearly every script and language
_MOST = 255
_SHORTEST = 5  # letters; too many words are one slip away from a shorter one

Rows = NDArray[np.uint32]


def key_of_term(term: str) -> bytes:
    """At most 32 bytes: the term itself, or its first 24 bytes and eight hexadecimal digits of its digest.

    The latter for longer terms, and for terms that end with a zero byte, which numpy drops.
    """
    data = term.encode()
    return (
        data
        if len(data) <= _KEY_SIZE and not data.endswith(b"\0")
        else data[:24] + blake2b(data, digest_size=4).hexdigest().encode()
    )


@dataclass(frozen=True, eq=False, slots=True)
class Postings:
    """The list of ``keys[i]`` is ``rows[starts[i]:starts[i + 1]]``, ascending, with ``counts``; ``keys`` are sorted."""

    keys: NDArray[np.bytes_]
    starts: NDArray[np.uint32]
    rows: Rows
    counts: NDArray[np.uint8]

    @classmethod
    def of(cls, documents: Sequence[Mapping[str, int]]) -> "Postings":
        """The lists of documents, which map terms to counts. A document's position is its row."""
        lists: dict[bytes, list[tuple[int, int]]] = {}
        for row, counts in enumerate(documents):
            for term, count in counts.items():
                lists.setdefault(key_of_term(term), []).append((row, min(count, _MOST)))
        keys = sorted(lists)
        flat = np.array([posting for key in keys for posting in lists[key]], np.uint32).reshape(-1, 2)
        return cls(
            np.array(keys, f"S{_KEY_SIZE}"),
            _starts([len(lists[key]) for key in keys]),
            flat[:, 0].copy(),
            flat[:, 1].astype(np.uint8),
        )

    @classmethod
    def merged(cls, parts: Sequence["Postings"], places: Sequence[NDArray[np.int64]]) -> "Postings":
        """The lists of all parts in one; ``places[i]`` has the new row for each row of part i, -1 for none."""
        keys, numbers = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
        ends = np.cumsum([len(part.keys) for part in parts])[:-1]
        lists = [
            np.repeat(number, np.diff(part.starts)) for part, number in zip(parts, np.split(numbers, ends), strict=True)
        ]
        rows = np.concatenate([place[part.rows] for part, place in zip(parts, places, strict=True)])
        order = np.flatnonzero(rows >= 0)
        order = order[np.argsort((np.concatenate(lists)[order] << 32) | rows[order])]
        sizes = np.bincount(np.concatenate(lists)[order], minlength=len(keys))
        return cls(
            keys[sizes > 0],
            _starts(sizes[sizes > 0]),
            rows[order].astype(np.uint32),
            np.concatenate([part.counts for part in parts])[order],
        )

    def list(self, key: bytes) -> tuple[Rows, NDArray[np.uint8]]:
        """The rows that have the key, and how often."""
        number = int(np.searchsorted(self.keys, key))
        if number == len(self.keys) or self.keys[number] != key:
            return self.rows[:0], self.counts[:0]
        span = slice(self.starts[number], self.starts[number + 1])
        return self.rows[span], self.counts[span]


def _starts(sizes: Iterable[int]) -> NDArray[np.uint32]:
    return np.concatenate([[0], np.cumsum(np.fromiter(sizes, np.int64))]).astype(np.uint32)


def slips(keys: NDArray[np.bytes_], term: bytes) -> NDArray[np.bytes_]:
    """The ``keys``, which are sorted, that are one slip away from ``term`` and have the same first letter.

    A slip is one byte added, missing or wrong, or two swapped (F. Damerau, "A technique for computer detection and
    correction of spelling errors", 1964). The first letter is rarely wrong (J. Pollock and A. Zamora, "Automatic
    spelling correction in scientific and scholarly text", 1984), and relying on it leaves a twentieth of the keys to
    compare.
    """
    size = keys.dtype.itemsize
    if len(term.decode()) < _SHORTEST or len(term) >= size:
        return keys[:0]
    first, last = np.searchsorted(keys, np.array([term[:1], term[:1] + b"\xff"], keys.dtype))
    near = keys[first:last]
    letters = near.view(np.uint8).reshape(len(near), size)
    wanted = np.frombuffer(term.ljust(size, b"\0"), np.uint8)
    other = letters != wanted
    rows = np.arange(len(near))
    start = other.argmax(axis=1)
    ends_alike = size - 1 - start
    more = _alike_at_end(letters[:, 1:], wanted[:-1]) >= ends_alike
    less = _alike_at_end(letters[:, :-1], wanted[1:]) >= ends_alike
    after = np.minimum(start + 1, size - 1)
    swapped = (letters[rows, start] == wanted[after]) & (letters[rows, after] == wanted[start])
    one, two = (other.sum(axis=1) == number for number in (1, 2))
    found: NDArray[np.bytes_] = near[one | more | less | (two & swapped)]
    return found


def _alike_at_end(letters: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The number of equal letters at the end."""
    other = letters[:, ::-1] != wanted[::-1]
    alike: NDArray[np.intp] = np.where(other.any(axis=1), other.argmax(axis=1), letters.shape[1])
    return alike
