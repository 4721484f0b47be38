"""memory_duplicates: finds groups of traces that probably say the same thing, to merge."""

from collections.abc import Mapping, Sequence
from itertools import combinations
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
    groups = _groups(scores, arguments.threshold)[: arguments.limit]
    return Groups(groups=[_reply([traces[name] for name in group], scores) for group in groups])


def _groups(scores: Mapping[frozenset[str], float], threshold: float) -> list[list[str]]:
    """Groups of ids that can be merged, any two of them similar enough; the group with the best pair first."""
    groups: list[list[str]] = []
    of: dict[str, list[str]] = {}
    for pair in sorted(scores, key=lambda pair: (-scores[pair], sorted(pair))):
        if scores[pair] < threshold:
            break
        placed = pair & of.keys()
        if not placed:
            groups.append(sorted(pair))
            of.update(dict.fromkeys(pair, groups[-1]))
        elif len(placed) == 1:
            (member,), (name,) = placed, pair - placed
            group = of[member]
            lowest = min(scores.get(frozenset((name, other)), 0.0) for other in group)
            if lowest >= threshold and len(group) < MERGE_LIMIT:
                group.append(name)
                of[name] = group
    return groups


def _reply(traces: Sequence[Trace], scores: Mapping[frozenset[str], float]) -> Group:
    members = sorted(traces, key=lambda one: (one.when, one.created_at))
    lowest = min(scores.get(frozenset((one.id, other.id)), 0.0) for one, other in combinations(traces, 2))
    return Group(
        score=floor(lowest * 10_000) / 10_000,  # so that its own score as threshold finds the group again
        trace_ids=[trace.id for trace in members],
        traces=[Memory.of(trace) for trace in members],
    )


TOOL = Tool(
    name="memory_duplicates",
    title="Find duplicate memories",
    function="search",
    description="Find groups of memories that probably say the same thing. Call it to tidy up, before memory_merge."
    " Read each group first, because memories that contradict each other also look alike. It changes nothing.",
    arguments=Duplicates,
    reply=Groups,
    run=run,
)
