"""memory_search: the index proposes, the table decides."""

from collections.abc import Iterator
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

_WORDS_ONLY = "Found by words alone: no embedding model is available."


class Search(Arguments):
    """Arguments of memory_search."""

    query: Text = Field(
        min_length=1,
        max_length=10_000,
        description="What you want to know, in plain words: a question or a few key words with names.",
    )
    limit: Limit = Field(
        10, description="How many memories at most, 1 to 100. Fewer come back where fewer are relevant."
    )
    tags: Tags = Field([], description="Only memories that carry all of these tags.")
    since: Moment | None = Field(None, description=f"Only what happened at or after this: {MOMENT}.")
    until: End | None = Field(None, description=f"Only what happened up to this; a date means its whole day: {MOMENT}.")
    explain: bool = Field(False, description="For programs: also say how each score came about.")


class Explanation(Part):
    """How a score came about: a weighted sum of the two scores, times the three factors, at most 1."""

    word_score: float = Field(description="How well the words match, as a share of the best possible match.")
    meaning_score: float | None = Field(
        None,
        description="The cosine of the embeddings, less what all memories have in common; absent without"
        " two embeddings.",
    )
    neighbour_factor: float = Field(description="Above 1 where other matches were remembered around the same time.")
    name_factor: float = Field(description="Below 1 where the memory has none of the names in the query.")
    meaning_only_factor: float = Field(description="2 where no memory has any of the query's words, else 1.")


class Hit(Memory):
    """A memory that a search found."""

    score: float = Field(ge=0, le=1, description="How relevant it is, from 0 to 1; comparable from query to query.")
    explanation: Explanation | None = Field(None, description="How the score came about, where `explain` asks for it.")


class Found(Reply):
    """Reply of memory_search."""

    shortens = ("results",)
    left_out_note = (
        "The {count} least relevant memories found were left out, since the reply would be too large. To see them, ask"
        " narrower questions, or narrow by tags, since and until."
    )
    too_large = "To see other memories, ask for something else."

    results: list[Hit] = Field(description="The most relevant first; empty where nothing is relevant.")

    def metrics(self) -> dict[str, int]:
        """How many hits there were."""
        return {"hits": len(self.results)}


def run(backend: Backend, scope: Scope, given: Search) -> Found:
    """The scope's most relevant live traces, as the table has them now, each counted as retrieved."""
    # It brings numpy, which only functions that search need.
    from memtools.ranking.rank import Query, rank

    if not given.query.strip():
        raise InvalidArguments("`query` is blank. To see memories without a query, call memory_list.", argument="query")
    (embedding,) = backend.embedder.embed([given.query])
    query = Query(
        text=given.query,
        embedding=embedding,
        now=backend.now(),
        tags=frozenset(fold(tag) for tag in given.tags),
        since=given.since,
        until=given.until,
    )
    with backend.indexes.fresh(scope) as index:
        hits = _confirmed(backend, scope, rank(index, query, floor=backend.floor), given)
    return Found(results=hits, note=None if embedding else _WORDS_ONLY)


def _confirmed(backend: Backend, scope: Scope, ranked: Iterator["Ranked"], given: Search) -> list[Hit]:
    """The first hits that the table confirms; it counts them as it reads them."""
    hits: list[Hit] = []
    while proposed := list(islice(ranked, given.limit - len(hits))):
        found = backend.traces.retrieve(scope, {one.id: one.version for one in proposed}, backend.now())
        hits += [_hit(one, found[one.id], explain=given.explain) for one in proposed if one.id in found]
        if refused := [one.id for one in proposed if one.id not in found]:
            backend.indexes.forget(scope, refused)
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
    function="search",
    description="Search what you remember about this user. Call it before you answer anything that may depend on"
    " earlier conversations: preferences, people, plans, decisions, past events. Finds facts by meaning and by words"
    " and returns only those relevant enough, best first; an empty list means that nothing relevant is remembered. It"
    " never changes a memory, and never sees those of other users.",
    arguments=Search,
    reply=Found,
    run=run,
)
