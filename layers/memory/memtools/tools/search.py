"""memory_search: the index proposes, the table disposes."""

from datetime import timedelta

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.errors import InvalidArguments
from memtools.retrieval.index import Index
from memtools.retrieval.ranking import Query, Ranked, rank
from memtools.retrieval.segments import Segment
from memtools.tools.memory import Memory

# Clocks differ, and a write takes a while to land: changes are read again from this long before they were last read.
OVERLAP = timedelta(minutes=2)
_WORDS_ONLY = "Found by words alone: no embedding model is available."


def memory_search(memory: Memory, scope: Scope, given: arguments.Search) -> replies.Found:
    """The scope's most relevant live traces, as the table holds them now, each counted as retrieved."""
    if not given.query.strip():
        raise InvalidArguments("`query` is blank. To see memories without a query, call memory_list.", argument="query")
    embedding = memory.embed([given.query])[0]
    query = Query(
        text=given.query,
        embedding=embedding,
        now=memory.clock.now(),
        tags=frozenset(fold(tag) for tag in given.tags),
        since=given.since,
        until=given.until,
    )
    ranked = rank(fresh_index(memory, scope), query, floor=memory.floor)
    return replies.Found(
        results=_settle(memory, scope, ranked, given.limit),
        note=None if embedding else _WORDS_ONLY,
    )


def fresh_index(memory: Memory, scope: Scope) -> Index:
    """The index with every change in it that was made before this call began."""
    now = memory.clock.now()
    known = memory.segments.load(scope)
    since = known.read_at - OVERLAP if known else None
    index = known.index if known else Index()
    fresh = index.fold(memory.traces.changes(scope, since))
    memory.segments.save(scope, Segment(fresh, now))
    return fresh


def _settle(memory: Memory, scope: Scope, ranked: list[Ranked], limit: int) -> list[replies.Hit]:
    """The first hits that the table confirms, read there while they are counted."""
    hits: list[replies.Hit] = []
    place = 0
    while len(hits) < limit and place < len(ranked):
        proposed = ranked[place : place + limit - len(hits)]
        place += len(proposed)
        found = memory.traces.retrieve(scope, {one.id: one.version for one in proposed}, memory.clock.now())
        hits += [
            replies.Hit(**replies.Memory.fields_of(found[one.id]), score=round(one.score, 4))
            for one in proposed
            if one.id in found
        ]
    return hits
