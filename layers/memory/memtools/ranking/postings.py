"""Inverted lists as arrays: under which key stand which rows, and how often."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

_KEY_SIZE = 16
_MOST = 255

Rows = NDArray[np.uint32]


def key_of_term(term: str) -> bytes:
    """At most 16 bytes: the term itself, or its first eight and eight hexadecimal digits of its digest.

    So for a longer one, and for one that ends in zero, which numpy leaves away.
    """
    data = term.encode()
    return (
        data
        if len(data) <= _KEY_SIZE and not data.endswith(b"\0")
        else data[:8] + blake2b(data, digest_size=4).hexdigest().encode()
    )


@dataclass(frozen=True, eq=False, slots=True)
class Postings:
    """The list of ``keys[i]``, which are sorted, is ``rows[starts[i]:starts[i + 1]]``, ascending, with ``counts``."""

    keys: NDArray[np.bytes_]
    starts: NDArray[np.uint32]
    rows: Rows
    counts: NDArray[np.uint8]

    @classmethod
    def of(cls, documents: Sequence[Mapping[str, int]]) -> "Postings":
        """The lists of documents, each of which tells how often it has which term; its place is its row."""
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
        """The lists of all parts as one; ``places[i]`` tells the new row for each of part i's, -1 for none."""
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
