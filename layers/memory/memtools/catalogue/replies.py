"""What each tool answers, as callers see it. Absent values are left out, never null."""

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

from memtools.domain.document import Document as Stored
from memtools.domain.trace import Trace


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_iso, return_type=str)]


class Reply(BaseModel):
    """Base of all replies."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, defer_build=True
    )

    def as_dict(self) -> dict[str, Any]:
        """The reply as callers see it, JSON-ready."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Named(Reply):
    """A trace by id and content."""

    id: str
    content: str


class Memory(Named):
    """A live trace, whole."""

    tags: list[str]
    version: int
    created_at: Moment
    updated_at: Moment
    occurred_at: Moment | None = None
    expires_at: Moment | None = None
    retrieval_count: int = Field(description="How often a search returned it.")
    last_retrieved_at: Moment | None = None
    merged_from: list[str] | None = Field(None, description="Every trace that ever went into this one.")

    @classmethod
    def fields_of(cls, trace: Trace) -> dict[str, Any]:
        """The trace's values under this model's names."""
        return {
            "id": trace.id,
            "content": trace.content,
            "tags": list(trace.tags),
            "version": trace.version,
            "created_at": trace.created_at,
            "updated_at": trace.changed_at,
            "occurred_at": trace.occurred_at,
            "expires_at": trace.expires_at,
            "retrieval_count": trace.retrieval_count,
            "last_retrieved_at": trace.last_retrieved_at,
            "merged_from": list(trace.merged_from) or None,
        }

    @classmethod
    def of(cls, trace: Trace) -> Self:
        """The trace as callers see it."""
        return cls(**cls.fields_of(trace))


class Parts(Reply):
    """What a score is made of."""

    words: float = Field(description="The share of what BM25 could give any text for this query.")
    meaning: float | None = Field(
        None, description="The cosine of the two embeddings, less what all memories have in common; absent without two."
    )
    lift: float = Field(description="The factor for what else was said around the same time.")
    names: float = Field(description="The factor for names in the query that the memory does not have.")
    alone: float = Field(description="2 where no memory has any of the query's words, so that meaning alone speaks.")


class Hit(Memory):
    """A trace that a search found."""

    score: float = Field(ge=0, le=1, description="How relevant it is, from 0 to 1; comparable from query to query.")
    explanation: Parts | None = Field(None, description="What the score is made of, where `explain` asks for it.")


class Added(Reply):
    """Reply of memory_add."""

    message: str
    saved: list[Named] = Field(description="The facts stored by this call.")
    duplicates: list[Named] = Field(description="For facts known before, the traces that already hold them.")


class Found(Reply):
    """Reply of memory_search."""

    results: list[Hit] = Field(description="The most relevant first; empty where nothing is relevant.")
    note: str | None = Field(None, description="What limited this search, if anything did.")


class Document(Reply):
    """Reply of memory_read."""

    text: str
    version: str = Field(description="Changes whenever the text does; `none` where nothing is there yet.")
    found: list[str] = Field(description="The files that are there.")


class Edited(Reply):
    """Reply of memory_edit."""

    message: str
    version: str = Field(description="The document's version after this edit.")
    text: str = Field(description="The whole document after this edit.")


class Merged(Reply):
    """Reply of memory_merge."""

    survivor_id: str
    deleted_ids: list[str] = Field(description="The traces that went into the survivor, in the order given.")
    missing_ids: list[str] = Field(description="Ids given that name no live trace.")
    trace: Memory


class Listed(Reply):
    """Reply of memory_list."""

    results: list[Memory] = Field(description="The newest first.")
    next_cursor: str | None = Field(None, description="Where the next page begins; absent on the last one.")


class Group(Reply):
    """Memories that likely say the same."""

    score: float = Field(ge=0, le=1, description="How alike each two of them are at least, from 0 to 1.")
    trace_ids: list[str] = Field(description="Their ids, the oldest first, as memory_merge takes them.")
    traces: list[Memory] = Field(description="The same, whole.")


class Groups(Reply):
    """Reply of memory_duplicates."""

    groups: list[Group] = Field(description="The most alike first; empty where nothing is said twice.")


class Version(Reply):
    """One version of a trace or of a document."""

    version: int | str
    change: str = Field(description="What made this version.")
    at: Moment
    content: str
    tags: list[str] | None = None
    reason: str | None = None
    merged_from: list[str] | None = None
    merged_into: str | None = None

    @classmethod
    def of_trace(cls, trace: Trace) -> Self:
        """A version of a trace as callers see it."""
        return cls(
            version=trace.version,
            change=trace.change.value,
            at=trace.changed_at,
            content=trace.content,
            tags=list(trace.tags),
            reason=trace.reason,
            merged_from=list(trace.merged_from) or None,
            merged_into=trace.merged_into,
        )

    @classmethod
    def of_document(cls, document: Stored) -> Self:
        """A version of a document as callers see it."""
        action, _, _ = document.edit.partition(":")
        assert document.written_at is not None
        return cls(version=document.version, change=action or "outside", at=document.written_at, content=document.text)


class Versions(Reply):
    """Reply of memory_history."""

    versions: list[Version] = Field(description="The newest first.")


class Updated(Reply):
    """Reply of memory_update."""

    updated: bool = Field(description="False where it said so already.")
    trace: Memory


class Deleted(Reply):
    """Reply of memory_delete."""

    deleted: bool
    id: str


class Restored(Reply):
    """Reply of memory_restore."""

    restored: bool = Field(description="False where it was so already.")
    trace: Memory


class Unmerged(Reply):
    """Reply of memory_unmerge."""

    restored_ids: list[str] = Field(description="The memories that live again.")
    trace: Memory
