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
    from memtools.ranking.score import Ranked

# A token of today's models is about four bytes of English text, and of JSON.
_BYTES_A_TOKEN = 4
_WORDS_ONLY = "Searched by words only, because no embedding model is available."


class Search(Arguments):
    query: Text = Field(
        min_length=1,
        max_length=10_000,
        description="What you want to know, in plain words: a question, or a few keywords with names.",
    )
    limit: Limit = Field(
        20, description="Maximum number of memories, 1 to 100. Fewer are returned if fewer are relevant."
    )
    token_budget: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Return only as many of the best memories as fit into about this many tokens.",
    )
    tags: Tags = Field([], description="Only memories that have all of these tags.")
    any_tags: Tags = Field([], description="Only memories that have at least one of these tags.")
    without_tags: Tags = Field([], description="Only memories that have none of these tags.")
    since: Moment | None = Field(None, description=f"Only what happened at or after this time: {MOMENT}.")
    until: End | None = Field(
        None, description=f"Only what happened up to this time: {MOMENT}. A date includes the whole day."
    )
    explain: bool = Field(False, description="For programs: also return the parts of each score.")


class Explanation(Part):
    """The parts of a score: a weighted sum of the two scores, times the three factors, at most 1.

    They are those of the sentence of the query that finds the memory best; one that carries little counts less.
    """

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
    below_floor: int = Field(
        0, description="How many other memories match the filters, but are not relevant enough. Of an empty memory: 0."
    )
    beyond_budget: int | None = Field(
        None, description="The number of relevant memories that `tokenBudget` left out, if it left out any."
    )

    def metrics(self) -> dict[str, int]:
        """The number of hits."""
        return {"hits": len(self.results)}


def run(backend: Backend, scope: Scope, arguments: Search) -> Found:
    """The most relevant live traces with their current content. Each counts as retrieved."""
    # It imports numpy, which only functions that search need.
    from memtools.ranking.rank import Query, rank
    from memtools.ranking.terms import sentences

    if not arguments.query.strip():
        raise InvalidArguments("`query` is blank. To see memories without a query, call memory_list.", argument="query")
    embeddings = backend.embedder.embed(sentences(arguments.query))
    with backend.indexes.fresh(scope) as index:
        query = Query(
            text=arguments.query,
            embeddings=embeddings,
            now=backend.now(),
            tags=frozenset(map(fold, arguments.tags)),
            any_tags=frozenset(map(fold, arguments.any_tags)),
            without_tags=frozenset(map(fold, arguments.without_tags)),
            since=arguments.since,
            until=arguments.until,
        )
        ranking = rank(index, query, floor=backend.floor)
        hits = _confirmed(backend, scope, iter(ranking), arguments, query.now)
    within = _within(hits, arguments.token_budget)
    return Found(
        results=within,
        below_floor=ranking.below_floor,
        beyond_budget=len(hits) - len(within) or None,
        note=None if all(embeddings) else _WORDS_ONLY,
    )


def _within(hits: list[Hit], budget: int | None) -> list[Hit]:
    """The first hits that fit into the budget together."""
    if budget is None:
        return hits
    left = budget * _BYTES_A_TOKEN
    for number, hit in enumerate(hits):
        left -= len(hit.model_dump_json(by_alias=True, exclude_none=True).encode())
        if left < 0:
            return hits[:number]
    return hits


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
