"""Traces to index, and what befalls an index in its life, for tests with hypothesis."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import strategies as st
from memtools.domain.text import fold
from memtools.domain.trace import Embedding, Status, Trace
from memtools.freshness.segment import Segment, intact
from memtools.ranking.columns import Columns
from memtools.ranking.index import Index

MODEL = "m"
OTHER_MODEL = "old"
DIMENSIONS = 5
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

# Ids as key_of and spare_id make them, some whose keys end in zeros, and some of other forms.
IDS = (
    f"mt_{'5f' * 16}",
    f"mt_{'5f' * 16}-00c0ffee",
    f"mt_{'5f' * 16}-c0ffee00",
    f"mt_{'5f' * 16}-00000000",
    f"mt_{'ab' * 14}0000",
    f"mt_{'0' * 32}",
    f"mt_{'0' * 32}-00000001",
    f"mt_{'5F' * 16}",
    "mt_1",
    "a",
    "ключ\0",
)
CONTENTS = (
    "green tea",
    "black tea, more tea",
    "Maria plays the oboe",
    "the oboe of Jon",
    "Maria's counterrevolutionaries",
    "counterrevolutionists",
    "出張で東京に行った",
    "...",
    "",
)
TAGS = ("Home", "At  WORK", "work", "tea", "null\0", "null", "a tag that is longer than sixteen bytes")
_AGO = st.sampled_from([timedelta(hours=hours) for hours in (0, 1, 30, 9000)])
_LONG_AGO = _AGO | st.just(NOW - datetime(1960, 1, 1, 0, 0, 0, 1, tzinfo=UTC))


def vectors(dimensions: int = DIMENSIONS) -> st.SearchStrategy[bytes]:
    """Numbers of a byte: none, the same, the outermost, any."""
    some = np.random.default_rng(dimensions).integers(-128, 128, (12, dimensions), np.int8)
    special = [bytes([number] * dimensions) for number in (0, 100, 127, 128)]
    return st.sampled_from([*special, *(numbers.tobytes() for numbers in some)])


def embeddings() -> st.SearchStrategy[Embedding | None]:
    """None, one of the model, or one of another."""
    return (
        st.none()
        | st.builds(Embedding, st.just(MODEL), vectors())
        | st.builds(Embedding, st.just(OTHER_MODEL), vectors(DIMENSIONS + 2))
    )


@st.composite
def traces(draw: st.DrawFn, name: str | None = None, version: int = 1, *, may_be_dead: bool = False) -> Trace:
    """A trace of any kind, told at any time."""
    created = NOW - draw(_AGO)
    return Trace(
        id=draw(st.sampled_from(IDS)) if name is None else name,
        content=draw(st.sampled_from(CONTENTS)),
        created_at=created,
        changed_at=NOW,
        version=version,
        status=draw(st.sampled_from(Status)) if may_be_dead else Status.LIVE,
        tags=tuple(draw(st.lists(st.sampled_from(TAGS), max_size=2))),
        occurred_at=draw(st.none() | _LONG_AGO.map(lambda ago: NOW - ago)),
        expires_at=draw(st.sampled_from([None, None, None, NOW, NOW + timedelta(microseconds=1)])),
        embedding=draw(embeddings()),
    )


def distinct_traces(most: int = 8) -> st.SearchStrategy[list[Trace]]:
    """Live traces, each with an id of its own."""
    return st.lists(traces(), max_size=most, unique_by=lambda trace: trace.id)


@st.composite
def histories(draw: st.DrawFn) -> list[Trace]:
    """Changes of a few traces, oldest first; each makes the next version of its trace."""
    versions: dict[str, int] = {}
    changes = []
    for minute in range(draw(st.integers(0, 9))):
        name = draw(st.sampled_from(IDS))
        versions[name] = versions.get(name, 0) + 1
        change = draw(traces(name, versions[name], may_be_dead=True))
        changes.append(replace(change, changed_at=NOW + timedelta(minutes=minute)))
    return changes


def latest(changes: Iterable[Trace]) -> list[Trace]:
    """What a store tells of a history: each trace as it is now."""
    newest = {change.id: change for change in changes}
    return sorted(newest.values(), key=lambda change: change.changed_at)


def live(changes: Iterable[Trace]) -> list[Trace]:
    """The traces that live now."""
    return [one for one in latest(changes) if one.live]


def from_scratch(alive: Iterable[Trace]) -> Index:
    """An index of these traces and of nothing before."""
    return Index(Columns.of(list(alive), MODEL))


@dataclass
class Life:
    """An index on its way, and by its side what it should hold."""

    index: Index = field(default_factory=lambda: Index.empty(MODEL))
    alive: dict[str, Trace] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)

    def fold(self, changes: list[Trace]) -> None:
        self.index = self.index.fold(changes)
        for change in latest(changes):
            known = self.alive.get(change.id)
            if not change.live:
                self.alive.pop(change.id, None)
            elif known is None or known.version != change.version:
                self.alive[change.id] = change

    def compact(self) -> None:
        self.index = self.index.compacted(NOW)
        self.alive = {name: trace for name, trace in self.alive.items() if not trace.expired(NOW)}

    def save(self) -> None:
        self.compact()
        data = Segment(self.index.base, NOW).to_bytes()
        assert intact(data)
        self.index = Index(Segment.of_bytes(data, MODEL).columns)

    def fill(self, embedding: Embedding) -> None:
        """Give some trace a vector, as searches do for those without one."""
        lacking = [self.index.identity(int(place))[0] for place in self.index.unembedded[:2]]
        filled = [replace(self.alive[name], embedding=embedding) for name in lacking]
        self.index = self.index.replaced(filled)
        self.alive |= {trace.id: trace for trace in filled}

    def forget(self, names: list[str]) -> None:
        self.index = self.index.without(names)
        for name in names:
            self.alive.pop(name, None)


@st.composite
def lives(draw: st.DrawFn) -> Life:
    """Changes in batches, old ones told again, the index compacted, saved, filled or made to forget in between."""
    changes = draw(histories())
    life = Life()
    told = 0
    steps: dict[str, Any] = {
        "fold": None,
        "tell again": lambda: life.fold(latest(changes[:told])),
        "compact": life.compact,
        "save": life.save,
        "fill": lambda: life.fill(Embedding(MODEL, draw(vectors()))),
        "forget": lambda: life.forget(draw(st.lists(st.sampled_from(IDS), max_size=2, unique=True))),
    }
    for step in draw(st.lists(st.sampled_from(list(steps)), max_size=12)):
        life.steps.append(step)
        if step == "fold":
            end = draw(st.integers(told, len(changes)))
            life.fold(changes[told:end])
            told = end
        else:
            steps[step]()
    life.fold(changes[told:])
    return life


def admits(trace: Trace, tags: frozenset[str]) -> bool:
    """Whether the trace has all ``tags`` and has not expired."""
    return not trace.expired(NOW) and tags <= {fold(tag) for tag in trace.tags}
