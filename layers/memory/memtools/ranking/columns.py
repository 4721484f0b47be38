"""Live traces as arrays in the order of time, one row each, in the same bytes in memory and in a segment."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtools.domain.text import fold
from memtools.domain.trace import Trace
from memtools.ranking.kin import Kin
from memtools.ranking.postings import Postings
from memtools.ranking.terms import passages

NEVER = np.iinfo(np.int64).max
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KEY_SIZE = 20
_USUAL_ID = re.compile(r"mt_([0-9a-f]{32})(?:-(?!0{8})([0-9a-f]{8}))?")
_WORD = 64  # bits in a word of signs
_NOT_UNDERSTOOD = -1
_BLOCK = 4096  # rows converted to floats in one step

Vectors = NDArray[np.int8]
Rows = NDArray[np.int64]


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def key_of_id(name: str) -> bytes:
    """20 bytes: the digits of an id in the usual form, or a digest of any other id."""
    usual = _USUAL_ID.fullmatch(name)
    if usual:
        return bytes.fromhex(f"{usual[1]}{usual[2] or '00000000'}")
    return blake2b(name.encode(), digest_size=_KEY_SIZE).digest()


@dataclass(frozen=True, eq=False)
class Columns:
    """The arrays, with a row for each trace, ordered by ``when``, then ``created``, then ``keys``.

    Times are in microseconds since 1970. ``passages`` counts the passages of each trace, which stand in one order, the
    first trace's first; ``lengths`` are theirs, in terms, and ``terms`` lists them. ``vectors`` [rows, dimensions] are
    from ``model``, and zero for a trace without one; ``norms`` are their lengths, -1 for a text that the model does not
    understand; ``total`` [dimensions] is the sum of their directions;
    ``signs`` [words, rows] has a bit for each number, which is set if the number is positive. ``names`` maps keys to
    ids that do not have the usual form.
    """

    model: str
    keys: NDArray[np.bytes_]
    versions: NDArray[np.uint32]
    when: NDArray[np.int64]
    created: NDArray[np.int64]
    expires: NDArray[np.int64]
    passages: NDArray[np.uint16]
    lengths: NDArray[np.uint16]
    vectors: Vectors
    norms: NDArray[np.float32]
    total: NDArray[np.float32]
    signs: NDArray[np.uint64]
    terms: Postings
    tags: Postings
    names: Mapping[bytes, str]

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, traces: Sequence[Trace], model: str) -> "Columns":
        """The arrays of these traces, with the vectors from ``model``."""
        keys = {trace.id: key_of_id(trace.id) for trace in traces}
        traces = sorted(traces, key=lambda trace: (trace.when, trace.created_at, keys[trace.id]))
        split = [passages(trace.content, trace.tags, trace.occurred_at) for trace in traces]
        terms = [found for one in split for found in one]
        vectors = _matrix([_vector(trace, model) for trace in traces])
        norms = np.linalg.norm(vectors.astype(np.float32), axis=1)
        norms[[_is_void(trace, model) for trace in traces]] = _NOT_UNDERSTOOD
        return cls(
            model=model,
            keys=np.array([keys[trace.id] for trace in traces], f"S{_KEY_SIZE}"),
            versions=np.array([trace.version for trace in traces], np.uint32),
            when=np.array([microseconds(trace.when) for trace in traces], np.int64),
            created=np.array([microseconds(trace.created_at) for trace in traces], np.int64),
            expires=np.array([microseconds(one.expires_at) if one.expires_at else NEVER for one in traces], np.int64),
            passages=np.array([len(one) for one in split], np.uint16),
            lengths=np.array([min(len(found), 0xFFFF) for found in terms], np.uint16),
            vectors=vectors,
            norms=norms,
            total=total(vectors, norms),
            signs=signs(vectors),
            terms=Postings.of([Counter(found) for found in terms]),
            tags=Postings.of([{fold(tag): 1 for tag in trace.tags} for trace in traces]),
            names={key: name for name, key in keys.items() if not _USUAL_ID.fullmatch(name)},
        )

    @classmethod
    def merged(cls, parts: Sequence["Columns"], kept: Rows) -> "Columns":
        """All parts in one, with only the rows ``kept``, which are numbered through all parts."""
        order = in_order(parts, kept)
        ends = np.cumsum([len(part) for part in parts])
        places = np.full(ends[-1], -1)
        places[order] = np.arange(len(order))
        of_parts = np.split(places, ends[:-1])

        def column(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts])[order]

        dimensions = max(part.vectors.shape[1] for part in parts)
        vectors, norms = np.zeros((len(order), dimensions), np.int8), np.minimum(column("norms"), 0)
        passage_order, passage_places = _passages(parts, order)
        for part, place in zip(parts, of_parts, strict=True):
            if part.vectors.shape[1] == dimensions:
                vectors[place[place >= 0]] = part.vectors[place >= 0]
                norms[place[place >= 0]] = part.norms[place >= 0]
        keys = column("keys")
        names = {key: name for part in parts for key, name in part.names.items()}
        return cls(
            model=parts[0].model,
            keys=keys,
            **{name: column(name) for name in ("versions", "when", "created", "expires", "passages")},
            lengths=np.concatenate([part.lengths for part in parts])[passage_order],
            vectors=vectors,
            norms=norms,
            total=total(vectors, norms),
            signs=signs(vectors),
            terms=Postings.merged([part.terms for part in parts], passage_places),
            tags=Postings.merged([part.tags for part in parts], of_parts),
            names={key: names[key] for key in map(_whole, keys) if key in names} if names else {},
        )

    @property
    def size(self) -> int:
        """The size of all arrays in bytes."""
        return sum(array.nbytes for _, array in self.arrays())

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """All arrays by name. Names of arrays in postings have two parts with a dot between."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                yield field.name, value
            elif isinstance(value, Postings):
                yield from ((f"{field.name}.{part.name}", getattr(value, part.name)) for part in fields(value))

    @cached_property
    def kin(self) -> Kin:
        """Finds the terms that share parts with a word."""
        return Kin(self.terms.keys)

    @cached_property
    def _by_key(self) -> Rows:
        return np.argsort(self.keys)

    def find(self, names: Sequence[str]) -> Rows:
        """The row of each id, -1 for missing ones."""
        if not len(self) or not names:
            return np.full(len(names), -1)
        keys = np.array([key_of_id(name) for name in names], self.keys.dtype)
        places = np.searchsorted(self.keys, keys, sorter=self._by_key)
        rows: Rows = self._by_key[np.minimum(places, len(self) - 1)]
        return np.where(self.keys[rows] == keys, rows, -1)

    def key(self, row: int) -> bytes:
        """The key in a row, with the zeros at its end, which numpy drops."""
        return _whole(self.keys[row])

    def id(self, row: int) -> str:
        """The id of the trace in a row."""
        key = self.key(row)
        if key in self.names:
            return self.names[key]
        spare = key[16:].hex()
        return f"mt_{key[:16].hex()}" + (f"-{spare}" if spare != "00000000" else "")


def in_order(parts: Sequence[Columns], kept: Rows) -> Rows:
    """The rows ``kept``, which are numbered through all parts, in the order that all columns have."""
    keys, created, when = (
        np.concatenate([getattr(part, name) for part in parts])[kept] for name in ("keys", "created", "when")
    )
    order: Rows = kept[np.lexsort((keys, created, when))]
    return order


def passage_numbers(counts: NDArray[np.uint16], rows: Rows) -> Rows:
    """The numbers of the passages of these rows, in their order. ``counts`` has the number of passages of each row."""
    ends = np.cumsum(counts, dtype=np.int64)
    sizes = counts[rows].astype(np.int64)
    # In each row's span, count on from its first passage.
    firsts = np.repeat(ends[rows] - sizes - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(rows) else rows
    numbers: Rows = firsts + np.arange(len(firsts))
    return numbers


def _passages(parts: Sequence[Columns], order: Rows) -> tuple[Rows, list[Rows]]:
    """The passages of all parts in the new order of their rows, and for each part the new numbers of its passages."""
    numbers = passage_numbers(np.concatenate([part.passages for part in parts]), order)
    ends = np.cumsum([len(part.lengths) for part in parts])
    places = np.full(ends[-1], -1)
    places[numbers] = np.arange(len(numbers))
    return numbers, np.split(places, ends[:-1])


def _whole(key: bytes) -> bytes:
    return bytes(key).ljust(_KEY_SIZE, b"\0")


def _vector(trace: Trace, model: str) -> bytes:
    return trace.embedding.vector if trace.embedding and trace.embedding.model == model else b""


def _is_void(trace: Trace, model: str) -> bool:
    """Whether the model was asked for a vector, and did not understand the text."""
    return trace.embedding is not None and trace.embedding.model == model and not trace.embedding.vector


def _matrix(vectors: Sequence[bytes]) -> Vectors:
    """One row for each vector; zeros if it is missing or shorter than the longest."""
    size = max(map(len, vectors), default=0)
    blank = bytes(size)
    joined = b"".join(vector if len(vector) == size else blank for vector in vectors)
    return np.frombuffer(joined, np.int8).reshape(len(vectors), size)


def total(vectors: Vectors, norms: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of the vectors' directions, [dimensions]. Zero vectors add nothing."""
    found = np.zeros(vectors.shape[1], np.float32)
    for start in range(0, len(vectors), _BLOCK):
        lengths = norms[start : start + _BLOCK]
        weights = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        found += weights @ vectors[start : start + _BLOCK].astype(np.float32)
    return found


def signs(vectors: Vectors) -> NDArray[np.uint64]:
    """A bit for each number, set if it is positive: [words, rows]. The last word is padded with zeros."""
    rows, dimensions = vectors.shape
    words = -(-dimensions // _WORD)
    bits = np.zeros((rows, words * 8), np.uint8)
    packed = np.packbits(vectors > 0, axis=1)
    bits[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(bits.view(np.uint64).T)
