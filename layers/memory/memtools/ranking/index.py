"""One scope's index: which live trace has which terms and which vector. Derived data, never the truth."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtools.domain.trace import Status, Trace
from memtools.ranking.columns import Columns, Rows, in_order, microseconds, signs, total
from memtools.ranking.postings import key_of_term, slips

Floats = NDArray[np.float32]
Matches = tuple[Rows, Floats]  # the places of the traces that have a term, and how often each has it
NO_ROWS: Rows = np.array([], np.int64)
# In a scope of a few traces every word looks common. Rarity is judged as in one of at least this many.
_SMALLEST_SCOPE = 100


class Index:
    """A large base, and what changed since: recent traces, and rows of the base that are dead or superseded.

    Immutable: folding changes in makes another index, so that searches in other threads are not disturbed. Each trace
    has a place in the order of time, whichever part holds it: what is found does not depend on the parts.
    """

    def __init__(self, base: Columns, recent: Columns | None = None, dead: Rows = NO_ROWS) -> None:
        self.base = base
        self._recent = Columns.of([], base.model) if recent is None else recent
        self._dead = dead

    @classmethod
    def empty(cls, model: str) -> "Index":
        """An index of nothing yet, for vectors of ``model``."""
        return cls(Columns.of([], model))

    def __len__(self) -> int:
        return len(self.base) - len(self._dead) + len(self._recent)

    @property
    def model(self) -> str:
        """The model of the vectors."""
        return self.base.model

    @property
    def changes(self) -> int:
        """How many changes stand beside the base."""
        return len(self._recent) + len(self._dead)

    # ------------------------------------------------------------ making another one

    def fold(self, changes: Iterable[Trace]) -> "Index":
        """The index with ``changes`` (oldest first) taken in; itself where they are in it already."""
        latest = list({trace.id: trace for trace in changes}.values())
        names = [trace.id for trace in latest]
        in_base, in_recent = self.base.find(names), self._recent.find(names)
        in_base[np.isin(in_base, self._dead)] = -1
        known, born = (
            np.maximum(_values(self.base, name, in_base), _values(self._recent, name, in_recent))
            for name in ("versions", "created")
        )
        told = np.array([trace.version if trace.status is Status.LIVE else 0 for trace in latest], np.int64)
        # Purged and added again, a trace is at version 1 again.
        reborn = np.array(
            [microseconds(trace.created_at) if trace.status is Status.LIVE else 0 for trace in latest], np.int64
        )
        news = np.flatnonzero((known != told) | (born != reborn))
        if not len(news):
            return self
        changed = [latest[number] for number in news]
        return self._instead([trace.id for trace in changed], [trace for trace in changed if trace.live])

    def without(self, names: Sequence[str]) -> "Index":
        """The index without the traces of these ids; what changes tell of them later is taken in again."""
        return self._instead(names, [])

    def _instead(self, names: Sequence[str], traces: Sequence[Trace]) -> "Index":
        """With ``traces`` in the place of those of the ids ``names``."""
        in_base, in_recent = self.base.find(names), self._recent.find(names)
        fresh = Columns.of(traces, self.base.model)
        kept = np.ones(len(self._recent) + len(fresh), bool)
        kept[in_recent[in_recent >= 0]] = False
        recent = Columns.merged([self._recent, fresh], np.flatnonzero(kept))
        return Index(self.base, recent, np.union1d(self._dead, in_base[in_base >= 0]))

    def compacted(self, now: datetime) -> "Index":
        """The same index in one part, without what has expired."""
        rows = self._order[self.alive(now)]
        return Index(Columns.merged([self.base, self._recent], rows))

    def replaced(self, traces: Sequence[Trace]) -> "Index":
        """The index with these traces, live ones that it knows, as they are given: with an embedding, say."""
        return self._instead([trace.id for trace in traces], traces)

    # ------------------------------------------------------------ what stands at which place

    @cached_property
    def when(self) -> NDArray[np.int64]:
        """When what the trace tells of happened, in microseconds since 1970."""
        return self._by_place("when")

    @cached_property
    def expires(self) -> NDArray[np.int64]:
        """When the trace expires."""
        return self._by_place("expires")

    @cached_property
    def relative_lengths(self) -> Floats:
        """How many terms the trace has, in terms of their mean."""
        lengths: Floats = self._by_place("lengths").astype(np.float32)
        return lengths / max(float(lengths.mean()), 1) if len(lengths) else lengths

    @cached_property
    def embedded(self) -> NDArray[np.bool_]:
        """Whether the trace has a vector."""
        embedded: NDArray[np.bool_] = self._by_place("norms") > 0
        return embedded

    @cached_property
    def unembedded(self) -> Rows:
        """The places of traces without a vector."""
        return np.flatnonzero(~self.embedded)

    @cached_property
    def size(self) -> int:
        """Bytes that the arrays take."""
        return self.base.size + self._recent.size

    def identity(self, place: int) -> tuple[str, int]:
        """The id and the version of the trace."""
        part, row = self._at(place)
        return part.id(row), int(part.versions[row])

    def position(self, place: int) -> tuple[int, int, str]:
        """What the order of places goes by: ``when``, ``created`` and the id's key."""
        part, row = self._at(place)
        return int(part.when[row]), int(part.created[row]), part.key(row).hex()

    def _at(self, place: int) -> tuple[Columns, int]:
        row = int(self._order[place])
        return (self.base, row) if row < len(self.base) else (self._recent, row - len(self.base))

    def newest(self, tags: Iterable[str], now: datetime, after: tuple[int, int, str] | None) -> list[int]:
        """The places of what has all ``tags`` and has not expired, newest first, from below ``after`` on."""
        end = len(self) if after is None else bisect_left(range(len(self)), after, key=self.position)
        admitted = self.tagged(tags) & self.alive(now)
        places: list[int] = np.flatnonzero(admitted[:end])[::-1].tolist()
        return places

    def with_term(self, term: str) -> Matches:
        """Where the term stands, and how often."""
        return self._posted("terms", key_of_term(term))

    def lookup(self, term: str) -> Matches:
        """As `with_term`; of a term that no trace has, the list of the commonest that is one slip away."""
        found = self.with_term(term)
        if not len(found[0]):
            parts = (self.base, self._recent)
            near = sorted({bytes(key) for part in parts for key in slips(part.terms.keys, term.encode())})
            found = max((self._posted("terms", key) for key in near), key=lambda one: len(one[0]), default=found)
        return found

    def rarity(self, having: int) -> float:
        """How much a term says that so many traces have: its idf, as Lucene has it."""
        return log(1 + (max(len(self), _SMALLEST_SCOPE) - having + 0.5) / (having + 0.5))

    def lists(self) -> Iterator[tuple[Rows, float]]:
        """For every term where it stands, and its rarity."""
        for key in np.union1d(self.base.terms.keys, self._recent.terms.keys):
            places, _ = self._posted("terms", key)
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

    def _posted(self, name: str, key: bytes) -> Matches:
        rows, counts = getattr(self.base, name).list(key)
        if self._whole:
            return rows.astype(np.int64), counts.astype(np.float32)
        recent_rows, recent_counts = getattr(self._recent, name).list(key)
        places = self._places[np.concatenate([rows, recent_rows + len(self.base)])]
        alive = places >= 0
        return places[alive], np.concatenate([counts, recent_counts])[alive].astype(np.float32)

    # ------------------------------------------------------------ vectors

    def nearness(self, direction: NDArray[np.int8]) -> Floats:
        """About the cosine of each trace with ``direction``, from the signs of their parts alone.

        Of random hyperplanes an angle's share of 180 degrees lies between two vectors (M. Charikar, "Similarity
        Estimation Techniques from Rounding Algorithms", 2002); the axes do for hyperplanes.
        """
        sought = signs(direction[np.newaxis])[:, 0]
        apart = _signs_apart(self.base, sought, len(direction))
        if not self._whole:
            apart = np.concatenate([apart, _signs_apart(self._recent, sought, len(direction))])[self._order]
        return _cosines(len(direction)).take(apart)

    def projections(self, places: Rows, onto: Floats) -> Floats:
        """The direction of each trace, of length 1, times ``onto`` [dimensions, k]: [places, k]; zeros without one."""
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

    # ------------------------------------------------------------ the order of places

    @cached_property
    def _whole(self) -> bool:
        return not self.changes

    @cached_property
    def _order(self) -> Rows:
        """The row at each place, rows of the recent part counted on from those of the base."""
        kept = np.ones(len(self.base) + len(self._recent), bool)
        kept[self._dead] = False
        rows = np.flatnonzero(kept)
        return rows if self._whole else in_order([self.base, self._recent], rows)

    @cached_property
    def _places(self) -> Rows:
        """The place of each row, -1 for the dead."""
        places = np.full(len(self.base) + len(self._recent), -1)
        places[self._order] = np.arange(len(self))
        return places

    def _by_place(self, name: str) -> NDArray[Any]:
        base: NDArray[Any] = getattr(self.base, name)
        return base if self._whole else np.concatenate([base, getattr(self._recent, name)])[self._order]


def _values(part: Columns, name: str, rows: Rows) -> NDArray[np.int64]:
    """What the column has in each row, 0 for row -1."""
    values = np.zeros(len(rows), np.int64)
    values[rows >= 0] = getattr(part, name)[rows[rows >= 0]]
    return values


@lru_cache
def _cosines(dimensions: int) -> Floats:
    """The cosine by the number of signs that differ."""
    if not dimensions:
        return np.zeros(1, np.float32)
    return np.cos(np.pi * np.arange(dimensions + 1) / dimensions).astype(np.float32)


def _signs_apart(part: Columns, sought: NDArray[np.uint64], dimensions: int) -> NDArray[np.uint16]:
    """How many of each row's signs are not those ``sought``; half of them without vectors."""
    if part.vectors.shape[1] != dimensions:
        return np.full(len(part), dimensions // 2, np.uint16)
    apart = np.zeros(len(part), np.uint16)
    for word, one in zip(part.signs, sought, strict=True):
        apart += np.bitwise_count(word ^ one)
    return apart


def _projections(part: Columns, rows: Rows, onto: Floats) -> Floats:
    if part.vectors.shape[1] != len(onto):
        return np.zeros((len(rows), onto.shape[1]), np.float32)
    lengths = part.norms[rows][:, np.newaxis]
    found: Floats = part.vectors[rows].astype(np.float32) @ onto
    return np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
