"""memory_duplicates: finds groups of traces that probably say the same thing, to merge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Annotated

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.tools.merge import MERGE_LIMIT
from memtools.tools.tool import Arguments, Limit, Memory, Part, Reply, Tool

# Pairs compared for each requested group: a group may need several, and some turn out to be dissimilar.
_PAIRS = 10


class Duplicates(Arguments):
    limit: Limit = Field(10, description="Maximum number of groups, 1 to 100.")
    threshold: Annotated[float, Field(ge=0, le=1)] = Field(
        0.6,
        description="Minimum similarity of the memories in a group, from 0 to 1. At 0.9 they say the same thing in"
        " nearly the same words. At 0.6 they are about the same thing.",
    )


class Group(Part):
    """Memories that probably say the same thing."""

    score: float = Field(ge=0, le=1, description="The lowest similarity of any two of them, from 0 to 1.")
    trace_ids: list[str] = Field(description="Their ids, oldest first, as memory_merge takes them.")
    traces: list[Memory] = Field(description="The same memories, complete.")


class Groups(Reply):
    shortens = ("groups",)
    left_out_note = (
        "The {count} least similar groups were left out because the reply would be too large. To see them, merge or"
        " correct these first, then call again."
    )
    too_large = "Use a higher `threshold`, or read the memories one by one."

    groups: list[Group] = Field(description="Most similar first; empty if there are no duplicates.")


def run(backend: Backend, scope: Scope, arguments: Duplicates) -> Groups:
    """Groups of similar live traces with their current content, most similar first."""
    # It imports numpy, which only functions that search need.
    from memtools.ranking.alike import alike, proposed

    now = backend.now()
    with backend.indexes.fresh(scope) as index:
        pairs = proposed(index, index.alive(now), _PAIRS * arguments.limit)
        ids = list(dict.fromkeys(name for pair in pairs for name in pair.ids))
        traces = {name: trace for name, trace in backend.traces.get(scope, ids).items() if trace.alive(now)}
    scores: dict[frozenset[str], float] = {}
    for pair in pairs:
        if traces.keys() >= set(pair.ids):
            one, other = (traces[name].content for name in pair.ids)
            scores[frozenset(pair.ids)] = alike(index, one, other, pair.cosine)
    return Groups(groups=[_reply(one, traces) for one in _groups(scores, arguments.threshold)][: arguments.limit])


@dataclass(slots=True)
class _Group:
    """Traces with a similarity of at least ``score`` between any two, in the order in which they were found."""

    ids: list[str]
    score: float


def _groups(scores: Mapping[frozenset[str], float], threshold: float) -> list[_Group]:
    """Groups in which any two traces are similar enough; the group with the best pair first."""
    groups: list[_Group] = []
    of: dict[str, _Group] = {}
    for pair in sorted(scores, key=lambda pair: (-scores[pair], sorted(pair))):
        if scores[pair] < threshold:
            break
        placed = [name for name in pair if name in of]
        if not placed:
            group = _Group(sorted(pair), scores[pair])
            groups.append(group)
            of.update(dict.fromkeys(pair, group))
        elif len(placed) == 1:
            _join(of, of[placed[0]], next(iter(pair - {placed[0]})), scores, threshold)
    return groups


def _join(
    of: dict[str, _Group], group: _Group, name: str, scores: Mapping[frozenset[str], float], threshold: float
) -> None:
    """Add the trace to the group if it is similar enough to all its members and the group can still be merged."""
    lowest = min(scores.get(frozenset((name, other)), 0.0) for other in group.ids)
    if lowest >= threshold and len(group.ids) < MERGE_LIMIT:
        group.ids.append(name)
        group.score = min(group.score, lowest)
        of[name] = group


def _reply(group: _Group, traces: Mapping[str, Trace]) -> Group:
    members: Sequence[Trace] = sorted((traces[name] for name in group.ids), key=lambda one: (one.when, one.created_at))
    return Group(
        score=floor(group.score * 10_000) / 10_000,  # so that its own score as threshold finds the group again
        trace_ids=[trace.id for trace in members],
        traces=[Memory.of(trace) for trace in members],
    )


TOOL = Tool(
    name="memory_duplicates",
    function="search",
    description="Find groups of memories that probably say the same thing. Call it to tidy up, before memory_merge."
    " Read each group first, because memories that contradict each other also look alike. It changes nothing.",
    arguments=Duplicates,
    reply=Groups,
    run=run,
)
