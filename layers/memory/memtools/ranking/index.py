"""A scope's index: which live trace has which terms and which vector. Derived data, never the truth."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtools.domain.trace import Status, Trace
from memtools.ranking.columns import Columns, Rows, in_order, microseconds, passage_numbers, signs, total
from memtools.ranking.postings import key_of_term, slips

Floats = NDArray[np.float32]
Matches = tuple[Rows, Floats]  # the passages that have a term, and how often each has it
NO_ROWS: Rows = np.array([], np.int64)
# In a scope with few traces every word looks common. So rarity is computed as in a scope of at least this many.
_SMALLEST_SCOPE = 100
# What tracemalloc measured for scopes of 0 to 5,000 traces, within a sixth (tests/unit/test_index_size.py): bytes of
# objects, and percent of the arrays.
_OBJECTS = 7_000
_WITH_DERIVED = 117


class Index:
    """A large base and the changes since: recent traces, and rows of the base that are dead or superseded.

    Immutable: folding changes in makes a new index, so that searches in other threads are not disturbed. Each trace has
    a place in the order of time, in whichever part it is, so results do not depend on the parts.
    """

    def __init__(self, base: Columns, recent: Columns | None = None, dead: Rows = NO_ROWS) -> None:
        self.base = base
        self._recent = Columns.of([], base.model) if recent is None else recent
        self._dead = dead

    @classmethod
    def empty(cls, model: str) -> "Index":
        """An empty index for vectors from ``model``."""
        return cls(Columns.of([], model))

    def __len__(self) -> int:
        return len(self.base) - len(self._dead) + len(self._recent)

    @property
    def model(self) -> str:
        """The model of the vectors."""
        return self.base.model

    @property
    def changes(self) -> int:
        """The number of changes since the base."""
        return len(self._recent) + len(self._dead)

    # ------------------------------------------------------------ new versions of the index

    def fold(self, changes: Iterable[Trace]) -> "Index":
        """The index with ``changes`` (oldest first) folded in; itself if it already has them all."""
        latest = list({trace.id: trace for trace in changes}.values())
        names = [trace.id for trace in latest]
        in_base, in_recent = self.base.find(names), self._recent.find(names)
        in_base[np.isin(in_base, self._dead)] = -1
        known_versions, known_created = (
            np.maximum(_values(self.base, name, in_base), _values(self._recent, name, in_recent))
            for name in ("versions", "created")
        )
        versions = np.array([trace.version if trace.status is Status.LIVE else 0 for trace in latest], np.int64)
        # A trace that was purged and added again is at version 1 again, so its time of creation is compared too.
        created = np.array(
            [microseconds(trace.created_at) if trace.status is Status.LIVE else 0 for trace in latest], np.int64
        )
        new = np.flatnonzero((known_versions != versions) | (known_created != created))
        if not len(new):
            return self
        changed = [latest[number] for number in new]
        return self._instead([trace.id for trace in changed], [trace for trace in changed if trace.live])

    def without(self, names: Sequence[str]) -> "Index":
        """The index without these traces. Later changes to them can add them again."""
        return self._instead(names, [])

    def _instead(self, names: Sequence[str], traces: Sequence[Trace]) -> "Index":
        """The index with ``traces`` instead of the traces with the ids ``names``."""
        in_base, in_recent = self.base.find(names), self._recent.find(names)
        fresh = Columns.of(traces, self.base.model)
        kept = np.ones(len(self._recent) + len(fresh), bool)
        kept[in_recent[in_recent >= 0]] = False
        recent = Columns.merged([self._recent, fresh], np.flatnonzero(kept))
        return Index(self.base, recent, np.union1d(self._dead, in_base[in_base >= 0]))

    def compacted(self, now: datetime) -> "Index":
        """The same index as one base, without expired traces."""
        rows = self._order[self.alive(now)]
        return Index(Columns.merged([self.base, self._recent], rows))

    def replaced(self, traces: Sequence[Trace]) -> "Index":
        """The index with new forms of these live traces, which it already has, for example with embeddings."""
        return self._instead([trace.id for trace in traces], traces)

    # ------------------------------------------------------------ columns by place

    @cached_property
    def when(self) -> NDArray[np.int64]:
        """When it happened, or else when it was created, in microseconds since 1970."""
        return self._by_place("when")

    @cached_property
    def expires(self) -> NDArray[np.int64]:
        """When the trace expires, in microseconds since 1970."""
        return self._by_place("expires")

    @cached_property
    def relative_lengths(self) -> Floats:
        """The number of terms of each passage, divided by the mean."""
        every = np.concatenate([self.base.lengths, self._recent.lengths])
        lengths: Floats = every[self._passage_order].astype(np.float32)
        return lengths / max(float(lengths.mean()), 1) if len(lengths) else lengths

    @cached_property
    def embedded(self) -> NDArray[np.bool_]:
        """Whether the trace has a vector."""
        embedded: NDArray[np.bool_] = self._by_place("norms") > 0
        return embedded

    @cached_property
    def unembedded(self) -> Rows:
        """The places of traces without a vector, whose texts the model may understand."""
        return np.flatnonzero(self._by_place("norms") == 0)

    @cached_property
    def size(self) -> int:
        """What it takes in memory, in bytes: the arrays, those derived from them, and Python's objects around them."""
        return _OBJECTS + (self.base.size + self._recent.size) * _WITH_DERIVED // 100

    def identity(self, place: int) -> tuple[str, int]:
        """The id and the version of the trace."""
        part, row = self._at(place)
        return part.id(row), int(part.versions[row])

    def position(self, place: int) -> tuple[int, int, str]:
        """The sort key of a place: ``when``, ``created`` and the id's key."""
        part, row = self._at(place)
        return int(part.when[row]), int(part.created[row]), part.key(row).hex()

    def _at(self, place: int) -> tuple[Columns, int]:
        row = int(self._order[place])
        return (self.base, row) if row < len(self.base) else (self._recent, row - len(self.base))

    def newest(self, tags: Iterable[str], now: datetime, after: tuple[int, int, str] | None) -> list[int]:
        """The places of traces that have all ``tags`` and have not expired, newest first, starting below ``after``."""
        end = len(self) if after is None else bisect_left(range(len(self)), after, key=self.position)
        admitted = self.tagged(tags) & self.alive(now)
        places: list[int] = np.flatnonzero(admitted[:end])[::-1].tolist()
        return places

    def find(self, name: str) -> Rows:
        """The place of the trace with this id, if there is one."""
        (row,), (recent,) = self.base.find([name]), self._recent.find([name])
        rows = [one for one, found in ((row, row), (recent + len(self.base), recent)) if found >= 0]
        places: Rows = self._places[np.array(rows, np.int64)]
        return places[places >= 0]

    def with_term(self, term: str) -> Matches:
        """The passages that have the term, and how often each has it."""
        return self._posted("terms", key_of_term(term))

    def kin(self, term: str) -> Matches:
        """As `lookup`, for the term and all terms that share parts with it; the more they share, the more it counts.

        For languages that inflect and compound their words.
        """
        counted = np.zeros(len(self.relative_lengths), np.float32)
        for part in (self.base, self._recent):
            for key, likeness in part.kin.of(term):
                passages, counts = self._posted("terms", key)
                counted[passages] = np.maximum(counted[passages], counts * np.float32(likeness))
        passages, counts = self.lookup(term)
        counted[passages] = counts
        found = np.flatnonzero(counted)
        return found, counted[found]

    def having(self, passages: Rows) -> Rows:
        """The places of the traces that these passages are of."""
        return passages if self._owners is None else np.unique(self._owners[passages])

    def best_passages(self, scores: Floats) -> Floats:
        """The score of each trace: that of its best passage."""
        if self._owners is None:
            return scores
        starts = np.flatnonzero(np.diff(self._owners, prepend=-1))
        best: Floats = np.maximum.reduceat(scores, starts)
        return best

    def lookup(self, term: str) -> Matches:
        """As `with_term`; if no trace has the term, for the most common term that is one slip away from it."""
        found = self.with_term(term)
        if not len(found[0]):
            parts = (self.base, self._recent)
            near = sorted({bytes(key) for part in parts for key in slips(part.terms.keys, term.encode())})
            found = max((self._posted("terms", key) for key in near), key=lambda one: len(one[0]), default=found)
        return found

    def rarity(self, having: int) -> float:
        """The rarity of a term that this many traces have: its idf, as in Lucene."""
        return log(1 + (max(len(self), _SMALLEST_SCOPE) - having + 0.5) / (having + 0.5))

    def lists(self) -> Iterator[tuple[Rows, float]]:
        """The places of each term, and its rarity."""
        for key in np.union1d(self.base.terms.keys, self._recent.terms.keys):
            places = self.having(self._posted("terms", key)[0])
            yield places, self.rarity(len(places))

    def alive(self, now: datetime) -> NDArray[np.bool_]:
        """Which traces have not expired."""
        alive: NDArray[np.bool_] = self.expires > microseconds(now)
        return alive

    def tagged(self, tags: Iterable[str]) -> NDArray[np.bool_]:
        """Which traces have all of the tags."""
        tagged = np.ones(len(self), bool)
        for tag in tags:
            having = np.zeros(len(self), bool)
            having[self._posted("tags", key_of_term(tag))[0]] = True
            tagged &= having
        return tagged

    def tagged_any(self, tags: Iterable[str]) -> NDArray[np.bool_]:
        """Which traces have at least one of the tags."""
        tagged = np.zeros(len(self), bool)
        for tag in tags:
            tagged[self._posted("tags", key_of_term(tag))[0]] = True
        return tagged

    def _posted(self, name: str, key: bytes) -> Matches:
        rows, counts = getattr(self.base, name).list(key)
        if self._whole:
            return rows.astype(np.int64), counts.astype(np.float32)
        recent_rows, recent_counts = getattr(self._recent, name).list(key)
        numbers, start = (
            (self._passage_places, len(self.base.lengths)) if name == "terms" else (self._places, len(self.base))
        )
        places = numbers[np.concatenate([rows, recent_rows.astype(np.int64) + start])]
        alive = places >= 0
        return places[alive], np.concatenate([counts, recent_counts])[alive].astype(np.float32)

    # ------------------------------------------------------------ vectors

    def nearness(self, direction: NDArray[np.int8]) -> Floats:
        """Estimate the cosine of each trace with ``direction``, only from the signs of their numbers.

        The share of random hyperplanes that separate two vectors is their angle divided by 180 degrees (M. Charikar,
        "Similarity Estimation Techniques from Rounding Algorithms", 2002). The coordinate planes serve as hyperplanes.
        """
        wanted = signs(direction[np.newaxis])[:, 0]
        apart = _signs_apart(self.base, wanted, len(direction))
        if not self._whole:
            apart = np.concatenate([apart, _signs_apart(self._recent, wanted, len(direction))])[self._order]
        return _cosines(len(direction)).take(apart)

    def projections(self, places: Rows, onto: Floats) -> Floats:
        """The unit vector of each trace times ``onto`` [dimensions, k]: [places, k]. Zeros for traces without one."""
        if self._whole:
            return _projections(self.base, places, onto)
        rows = self._order[places]
        in_base = rows < len(self.base)
        found = np.zeros((len(places), onto.shape[1]), np.float32)
        found[in_base] = _projections(self.base, rows[in_base], onto)
        found[~in_base] = _projections(self._recent, rows[~in_base] - len(self.base), onto)
        return found

    @cached_property
    def total(self) -> Floats:
        """The sum of all directions, [dimensions]."""
        parts = [
            self.base.total,
            self._recent.total,
            -total(self.base.vectors[self._dead], self.base.norms[self._dead]),
        ]
        dimensions = max(len(part) for part in parts)
        found: Floats = np.sum([part for part in parts if len(part) == dimensions], axis=0)
        return found

    # ------------------------------------------------------------ places and rows

    @cached_property
    def _whole(self) -> bool:
        return not self.changes

    @cached_property
    def _order(self) -> Rows:
        """The row at each place. Rows of the recent part follow those of the base."""
        kept = np.ones(len(self.base) + len(self._recent), bool)
        kept[self._dead] = False
        rows = np.flatnonzero(kept)
        return rows if self._whole else in_order([self.base, self._recent], rows)

    @cached_property
    def _places(self) -> Rows:
        """The place of each row, -1 for dead rows."""
        places = np.full(len(self.base) + len(self._recent), -1)
        places[self._order] = np.arange(len(self))
        return places

    @cached_property
    def _passage_order(self) -> Rows:
        """The numbers of the passages, those of the base first, in the order of places."""
        return passage_numbers(np.concatenate([self.base.passages, self._recent.passages]), self._order)

    @cached_property
    def _passage_places(self) -> Rows:
        """The place of each passage in the order of places, -1 for those of dead rows."""
        places = np.full(len(self.base.lengths) + len(self._recent.lengths), -1)
        places[self._passage_order] = np.arange(len(self._passage_order))
        return places

    @cached_property
    def _owners(self) -> Rows | None:
        """The place of the trace of each passage; None if each trace has one."""
        counts = self._by_place("passages")
        return np.repeat(np.arange(len(self)), counts) if (counts > 1).any() else None

    def _by_place(self, name: str) -> NDArray[Any]:
        base: NDArray[Any] = getattr(self.base, name)
        return base if self._whole else np.concatenate([base, getattr(self._recent, name)])[self._order]


def _values(part: Columns, name: str, rows: Rows) -> NDArray[np.int64]:
    """The values of the column in these rows, 0 for row -1."""
    values = np.zeros(len(rows), np.int64)
    values[rows >= 0] = getattr(part, name)[rows[rows >= 0]]
    return values


@lru_cache
def _cosines(dimensions: int) -> Floats:
    """The estimated cosine for each number of different signs."""
    if not dimensions:
        return np.zeros(1, np.float32)
    return np.cos(np.pi * np.arange(dimensions + 1) / dimensions).astype(np.float32)


def _signs_apart(part: Columns, wanted: NDArray[np.uint64], dimensions: int) -> NDArray[np.uint16]:
    """The number of signs of each row that differ from ``wanted``; half of all if there are no vectors."""
    if part.vectors.shape[1] != dimensions:
        return np.full(len(part), dimensions // 2, np.uint16)
    apart = np.zeros(len(part), np.uint16)
    for word, one in zip(part.signs, wanted, strict=True):
        apart += np.bitwise_count(word ^ one)
    return apart


def _projections(part: Columns, rows: Rows, onto: Floats) -> Floats:
    if part.vectors.shape[1] != len(onto):
        return np.zeros((len(rows), onto.shape[1]), np.float32)
    lengths = part.norms[rows][:, np.newaxis]
    found: Floats = part.vectors[rows].astype(np.float32) @ onto
    return np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
