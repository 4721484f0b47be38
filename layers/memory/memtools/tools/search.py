"""memory_search: the index proposes, the table decides."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.domain.trace import Trace
from memtools.errors import InvalidArguments
from memtools.tools.tool import MOMENT, Arguments, End, Limit, Memory, Moment, Part, Reply, Tags, Text, Tool

if TYPE_CHECKING:
    from memtools.ranking.rank import Ranked

_WORDS_ONLY = "Searched by words only, because no embedding model is available."


class Search(Arguments):
    query: Text = Field(
        min_length=1,
        max_length=10_000,
        description="What you want to know, in plain words: a question, or a few keywords with names.",
    )
    limit: Limit = Field(
        10, description="Maximum number of memories, 1 to 100. Fewer are returned if fewer are relevant."
    )
    tags: Tags = Field([], description="Only memories that have all of these tags.")
    since: Moment | None = Field(None, description=f"Only what happened at or after this time: {MOMENT}.")
    until: End | None = Field(
        None, description=f"Only what happened up to this time: {MOMENT}. A date includes the whole day."
    )
    explain: bool = Field(False, description="For programs: also return the parts of each score.")


class Explanation(Part):
    """The parts of a score: a weighted sum of the two scores, times the three factors, at most 1."""

    word_score: float = Field(description="The BM25 score, as a share of the highest possible score for this query.")
    meaning_score: float | None = Field(
        None,
        description="The cosine of the embeddings, without what all memories have in common. Absent if either is"
        " missing.",
    )
    neighbour_factor: float = Field(description="Above 1 if memories from around the same time match too.")
    name_factor: float = Field(description="Below 1 if the memory contains none of the names in the query.")
    meaning_only_factor: float = Field(
        description="2 if no memory contains any word of the query, so that only meaning counts; else 1."
    )


class Hit(Memory):
    """A memory that a search found."""

    score: float = Field(
        ge=0, le=1, description="How relevant it is, from 0 to 1. Scores of different queries are comparable."
    )
    explanation: Explanation | None = Field(None, description="The parts of the score, if `explain` was true.")


class Found(Reply):
    shortens = ("results",)
    left_out_note = (
        "The {count} least relevant memories were left out because the reply would be too large. To see them, ask"
        " narrower questions, or filter by `tags`, `since` and `until`."
    )
    too_large = "To see other memories, use a different query."

    results: list[Hit] = Field(description="Most relevant first; empty if nothing is relevant.")

    def metrics(self) -> dict[str, int]:
        """The number of hits."""
        return {"hits": len(self.results)}


def run(backend: Backend, scope: Scope, arguments: Search) -> Found:
    """The most relevant live traces with their current content. Each counts as retrieved."""
    # It imports numpy, which only functions that search need.
    from memtools.ranking.rank import Query, rank

    if not arguments.query.strip():
        raise InvalidArguments("`query` is blank. To see memories without a query, call memory_list.", argument="query")
    (embedding,) = backend.embedder.embed([arguments.query])
    with backend.indexes.fresh(scope) as index:
        query = Query(
            text=arguments.query,
            embedding=embedding,
            now=backend.now(),
            tags=frozenset(fold(tag) for tag in arguments.tags),
            since=arguments.since,
            until=arguments.until,
        )
        hits = _confirmed(backend, scope, rank(index, query, floor=backend.floor), arguments, query.now)
    return Found(results=hits, note=None if embedding else _WORDS_ONLY)


def _confirmed(
    backend: Backend, scope: Scope, ranked: Iterator["Ranked"], arguments: Search, now: datetime
) -> list[Hit]:
    """The first hits that the table has at the same version. Reading a hit also counts its retrieval."""
    hits: list[Hit] = []
    while proposed := list(islice(ranked, arguments.limit - len(hits))):
        expected = {one.id: one.version for one in proposed}
        current = backend.traces.retrieve(scope, expected, now)
        found = {one.id: one for one in current.values() if one.version == expected[one.id]}
        hits += [_hit(one, found[one.id], explain=arguments.explain) for one in proposed if one.id in found]
        if wrong := expected.keys() - found.keys():
            backend.indexes.correct(scope, list(wrong), {one: current[one] for one in wrong & current.keys()})
    return hits


def _hit(ranked: "Ranked", trace: Trace, *, explain: bool) -> Hit:
    return Hit.of(trace, score=round(ranked.score, 4), explanation=_explanation(ranked) if explain else None)


def _explanation(ranked: "Ranked") -> Explanation:
    return Explanation(
        word_score=round(ranked.word_score, 4),
        meaning_score=None if ranked.meaning_score is None else round(ranked.meaning_score, 4),
        neighbour_factor=round(ranked.neighbour_factor, 4),
        name_factor=round(ranked.name_factor, 4),
        meaning_only_factor=ranked.meaning_only_factor,
    )


TOOL = Tool(
    name="memory_search",
    title="Search memories",
    function="search",
    description="Search what you remember about this user. Call it before you answer anything that may depend on"
    " earlier conversations: preferences, people, plans, decisions, past events. It finds facts by meaning and by"
    " words, and returns only the relevant ones, best first. An empty list means that nothing relevant is remembered."
    " It never changes a memory and never sees the memories of other users.",
    arguments=Search,
    reply=Found,
    run=run,
)
