"""memory_duplicates: traces that likely say the same, in groups to merge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from memtools.catalogue import arguments, replies
from memtools.catalogue.arguments import MERGE_LIMIT
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.tools.backend import Backend

# Pairs read from the table for each group asked for: a group may take several, and some prove to be unlike.
_PAIRS = 10


@dataclass(slots=True)
class _Group:
    """Traces of which each two are at least ``score`` alike, in the order in which they were found."""

    ids: list[str]
    score: float


def memory_duplicates(backend: Backend, scope: Scope, given: arguments.Duplicates) -> replies.Groups:
    """Groups of the scope's live traces as the table holds them, the most alike first."""
    from memtools.freshness.fresh_index import fresh_index
    from memtools.ranking.alike import alike, proposed  # brings numpy, which no other function needs

    now = backend.clock.now()
    with fresh_index(backend, scope) as index:
        pairs = proposed(index, index.alive(now), _PAIRS * given.limit)
        ids = list(dict.fromkeys(name for pair in pairs for name in pair.ids))
        traces = {name: trace for name, trace in backend.traces.get(scope, ids).items() if trace.alive(now)}
    scores: dict[frozenset[str], float] = {}
    for pair in pairs:
        if traces.keys() >= set(pair.ids):
            one, other = (traces[name].content for name in pair.ids)
            scores[frozenset(pair.ids)] = alike(index, one, other, pair.cosine)
    return replies.Groups(groups=[_told(one, traces) for one in _groups(scores, given.threshold)][: given.limit])


def _groups(scores: Mapping[frozenset[str], float], threshold: float) -> list[_Group]:
    """The pairs that are alike enough, put together where each two of a group are; the best pair's group first."""
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
    """Take the trace into the group if it is alike enough to all that are in it, and they can still be merged."""
    lowest = min(scores.get(frozenset((name, other)), 0.0) for other in group.ids)
    if lowest >= threshold and len(group.ids) < MERGE_LIMIT:
        group.ids.append(name)
        group.score = min(group.score, lowest)
        of[name] = group


def _told(group: _Group, traces: Mapping[str, Trace]) -> replies.Group:
    members: Sequence[Trace] = sorted((traces[name] for name in group.ids), key=lambda one: (one.when, one.created_at))
    return replies.Group(
        score=floor(group.score * 10_000) / 10_000,  # a group is found again with its own score as threshold
        trace_ids=[trace.id for trace in members],
        traces=[replies.Memory.of(trace) for trace in members],
    )
