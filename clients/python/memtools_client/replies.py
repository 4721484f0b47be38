"""The reply of each tool. Absent values are None. Made from the catalogue by `make generate`: change it there."""

from dataclasses import dataclass
from datetime import datetime

from memtools_client.decoding import Decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Decoded):
    """Base of all replies."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryText(Decoded):
    """A memory by id and content."""

    id: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(MemoryText):
    """A live trace as callers read it."""

    tags: list[str]
    version: int
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    retrieval_count: int
    """How often a search has returned it."""
    last_retrieved_at: datetime | None = None
    merged_from: list[str] | None = None
    """Every memory that was ever merged into this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Decoded):
    """The parts of a score: a weighted sum of the two scores, times the three factors, at most 1."""

    word_score: float
    """The BM25 score, as a share of the highest possible score for this query."""
    meaning_score: float | None = None
    """The cosine of the embeddings, without what all memories have in common. Absent if either is missing."""
    neighbour_factor: float
    """Above 1 if memories from around the same time match too."""
    name_factor: float
    """Below 1 if the memory contains none of the names in the query."""
    meaning_only_factor: float
    """2 if no memory contains any word of the query, so that only meaning counts; else 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Memory):
    """A memory that a search found."""

    score: float
    """How relevant it is, from 0 to 1. Scores of different queries are comparable."""
    explanation: Explanation | None = None
    """The parts of the score, if `explain` was true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Reply):
    """Reply of memory_search."""

    results: list[Hit]
    """Most relevant first; empty if nothing is relevant."""
    below_floor: int
    """How many other memories match the filters, but are not relevant enough. Of an empty memory: 0."""
    beyond_budget: int | None = None
    """The number of relevant memories that `tokenBudget` left out, if it left out any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Reply):
    """Reply of memory_list."""

    results: list[Memory]
    """Newest first."""
    next_cursor: str | None = None
    """The cursor of the next page; absent on the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText(Reply):
    """Reply of memory_read."""

    text: str
    version: str
    """Changes whenever the text changes; `none` if the document does not exist yet."""
    found: list[str]
    """The files that exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastVersion(Decoded):
    """One version of a memory or of a document."""

    version: int | str
    change: str
    """The change that made this version."""
    at: datetime
    content: str
    tags: list[str] | None = None
    reason: str | None = None
    merged_from: list[str] | None = None
    merged_into: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions(Reply):
    """Reply of memory_history."""

    versions: list[PastVersion]
    """Newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Decoded):
    """Memories that probably say the same thing."""

    score: float
    """The lowest similarity of any two of them, from 0 to 1."""
    trace_ids: list[str]
    """Their ids, oldest first, as memory_merge takes them."""
    traces: list[Memory]
    """The same memories, complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups(Reply):
    """Reply of memory_duplicates."""

    groups: list[Group]
    """Most similar first; empty if there are no duplicates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added(Reply):
    """Reply of memory_add."""

    message: str
    saved: list[MemoryText]
    """The facts stored by this call."""
    duplicates: list[MemoryText]
    """For facts that were already known, the memories that have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Decoded):
    """What an undo took back."""

    change: str
    """The change that was taken back; `outside` if no tool made it."""
    version: str
    """The version that this change had made."""
    back_to: str
    """The version whose text is back; `none` if there was no document before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited(Reply):
    """Reply of memory_edit."""

    message: str
    changed: bool
    """False if the document was already like this and nothing was written."""
    version: str
    """The document's version after this edit."""
    text: str
    """The whole document after this edit."""
    undone: Undone | None = None
    """For `undo`: what it took back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated(Reply):
    """Reply of memory_update."""

    updated: bool
    """False if the memory was already like this."""
    trace: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted(Reply):
    """Reply of memory_delete."""

    deleted: bool
    """False if it was already deleted."""
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(Reply):
    """Reply of memory_restore."""

    restored: bool
    """False if the memory was already like this."""
    trace: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged(Reply):
    """Reply of memory_merge."""

    survivor_id: str
    deleted_ids: list[str]
    """The memories that were merged into the survivor, in the order given."""
    missing_ids: list[str]
    """The ids given that are not live memories."""
    trace: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmerged(Reply):
    """Reply of memory_unmerge."""

    restored_ids: list[str]
    """The memories that came back."""
    trace: Memory
