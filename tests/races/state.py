"""All that a scope holds, read fresh, and the rules that any state keeps, whoever wrote it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from memtools.backend import Backend
from memtools.domain.document import Document
from memtools.domain.scope import Scope
from memtools.domain.trace import Change, Status, Trace
from memtools.domain.versions import newest_first

DOCUMENT: Final = "MEMORY.md"
_ALL = 1000


class Kind(StrEnum):
    """What can be wrong: a told write is gone; a write is there in part; somebody was told what is not so."""

    LOST = "lost"
    PARTIAL = "partial"
    UNTRUE = "untrue"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong."""

    kind: Kind
    what: str


def lost(what: str) -> Finding:
    return Finding(Kind.LOST, what)


def partial(what: str) -> Finding:
    return Finding(Kind.PARTIAL, what)


def untrue(what: str) -> Finding:
    return Finding(Kind.UNTRUE, what)


Chain = Sequence[Trace]


@dataclass(frozen=True, slots=True)
class State:
    """Every trace with all its versions, and MEMORY.md with all of its, oldest first."""

    chains: Mapping[str, Chain]
    document: Sequence[Document]

    @property
    def current(self) -> Mapping[str, Trace]:
        """The traces as they are, dead ones too."""
        return {name: chain[-1] for name, chain in self.chains.items()}

    @property
    def live(self) -> Mapping[str, Trace]:
        """The traces that are remembered."""
        return {name: trace for name, trace in self.current.items() if trace.live}

    def version(self, name: str, number: int) -> Trace | None:
        """A version of a trace, if it was ever there."""
        return next((one for one in self.chains.get(name, ()) if one.version == number), None)


def read(memory: Backend, scope: Scope) -> State:
    """The scope's state."""
    now = memory.now()
    names = [trace.id for trace in memory.traces.changes(scope, None)]
    current = memory.traces.get(scope, names)
    cutoff = now - memory.retention
    chains = {
        name: newest_first(trace, memory.traces.history(scope, name, now), cutoff)[::-1]
        for name, trace in current.items()
    }
    return State(chains, memory.personas.versions(scope, DOCUMENT, _ALL)[::-1])


def describe(chain: Chain) -> str:
    """The versions in short, for whoever reads a finding."""
    steps = (
        f"{one.version} {one.change} {one.content!r} tags={list(one.tags)} by {''.join(one.writes[:1])[:6]}"
        for one in chain
    )
    return " > ".join(steps)


def whole(start: State, end: State) -> Iterator[Finding]:
    """What is wrong with ``end`` whoever did it, given that it grew out of ``start``."""
    for name, chain in end.chains.items():
        yield from _unbroken(chain, start.chains.get(name, ()))
        for before, after in pairwise(chain):
            if before.live is not _STARTS_ALIVE.get(after.change, before.live):
                yield partial(f"{after.change} over a trace that was {before.status}: {describe(chain)}")
    yield from (lost(f"trace {name} is gone") for name in start.chains.keys() - end.chains.keys())
    yield from _transactions(end)
    yield from _tombstones(end)


# What may only happen to a trace that is live, or to one that is not; restoring and unmerging happen to both.
_STARTS_ALIVE = {
    Change.ADDED: False,
    Change.UPDATED: True,
    Change.DELETED: True,
    Change.MERGED: True,
    Change.MERGED_AWAY: True,
}


def _unbroken(chain: Chain, before: Chain) -> Iterator[Finding]:
    """All versions are there, each once, and those of before are as they were."""
    if [one.version for one in chain] != list(range(1, len(chain) + 1)):
        yield lost(f"versions are missing or there twice: {describe(chain)}")
    for old, now in zip(before, chain, strict=False):
        if (old.version, old.content, old.tags, old.status) != (now.version, now.content, now.tags, now.status):
            yield lost(f"version {old.version} has become another: {describe(chain)}")


def _transactions(state: State) -> Iterator[Finding]:
    """Each merge and each unmerge took all of its traces or none: the versions it made bear the name of one write."""
    made = {(one.writes[0], one.id): one for chain in state.chains.values() for one in chain if one.writes}
    for (write, name), one in made.items():
        if one.change is Change.MERGED:
            for source in one.merge.sources if one.merge else ():
                other = made.get((write, source))
                if other is None or other.change is not Change.MERGED_AWAY or other.merged_into != name:
                    yield partial(f"{source} was merged into {name}, yet not merged away: {describe([one])}")
        if one.change is Change.MERGED_AWAY:
            other = made.get((write, one.merged_into or ""))
            if other is None or other.merge is None or name not in other.merge.sources:
                yield partial(f"{name} was merged away, yet not into {one.merged_into}: {describe([one])}")
        if one.change is Change.UNMERGED:
            before = state.version(name, one.version - 1)
            if before is None:
                continue  # a broken chain is told as such
            parts = before.merge.sources if before.live and before.merge else [before.merged_into or ""]
            for part in parts:
                other = made.get((write, part))
                if other is None or other.change is not Change.UNMERGED:
                    yield partial(f"{name} was unmerged, yet not {part}: {describe([one])}")


def _tombstones(state: State) -> Iterator[Finding]:
    """What is merged away now is part of a trace whose merge was not undone."""
    for name, trace in state.current.items():
        if trace.status is Status.MERGED:
            survivor = state.current.get(trace.merged_into or "")
            if survivor is None or name not in survivor.merged_from:
                yield partial(f"{name} points to {trace.merged_into}, which does not name it")
        elif trace.merged_into:
            yield partial(f"{name} is {trace.status}, yet points to {trace.merged_into}")
        for source in (
            trace.merge.sources if trace.live and trace.merge and trace.merge.outcome == trace.version else ()
        ):
            other = state.current.get(source)
            if other is None or other.live:
                yield partial(f"{source} is live beside {name}, the outcome of its merge")
