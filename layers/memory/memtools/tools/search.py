"""memory_search: the index proposes, the table disposes."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.domain.trace import Trace
from memtools.errors import InvalidArguments
from memtools.tools.backend import Backend

if TYPE_CHECKING:
    from memtools.ranking.rank import Ranked

_WORDS_ONLY = "Found by words alone: no embedding model is available."


def memory_search(backend: Backend, scope: Scope, given: arguments.Search) -> replies.Found:
    """The scope's most relevant live traces, as the table holds them now, each counted as retrieved."""
    from memtools.freshness.fresh_index import fresh_index
    from memtools.ranking.rank import Query, rank  # brings numpy, which only functions that search need

    if not given.query.strip():
        raise InvalidArguments("`query` is blank. To see memories without a query, call memory_list.", argument="query")
    embedding = backend.embed([given.query])[0]
    query = Query(
        text=given.query,
        embedding=embedding,
        now=backend.clock.now(),
        tags=frozenset(fold(tag) for tag in given.tags),
        since=given.since,
        until=given.until,
    )
    with fresh_index(backend, scope) as index:
        hits = _settled(backend, scope, rank(index, query, floor=backend.floor), given)
    return replies.Found(results=hits, note=None if embedding else _WORDS_ONLY)


def _settled(backend: Backend, scope: Scope, ranked: Iterator["Ranked"], given: arguments.Search) -> list[replies.Hit]:
    """The first hits that the table confirms, read there while they are counted."""
    from memtools.freshness.fresh_index import forget

    hits: list[replies.Hit] = []
    while proposed := list(islice(ranked, given.limit - len(hits))):
        found = backend.traces.retrieve(scope, {one.id: one.version for one in proposed}, backend.clock.now())
        hits += [_hit(one, found[one.id], explain=given.explain) for one in proposed if one.id in found]
        if refused := [one.id for one in proposed if one.id not in found]:
            forget(backend, scope, refused)
    return hits


def _hit(ranked: "Ranked", trace: Trace, *, explain: bool) -> replies.Hit:
    return replies.Hit(
        **replies.Memory.fields_of(trace),
        score=round(ranked.score, 4),
        explanation=_parts(ranked) if explain else None,
    )


def _parts(ranked: "Ranked") -> replies.Parts:
    return replies.Parts(
        words=round(ranked.words, 4),
        meaning=None if ranked.meaning is None else round(ranked.meaning, 4),
        lift=round(ranked.lift, 4),
        names=round(ranked.names, 4),
        alone=ranked.alone,
    )
