"""What each tool answers, as callers see it. Absent values are left out, never null."""

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

from memtools.domain.trace import Trace


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_iso, return_type=str)]


class Reply(BaseModel):
    """Base of all replies."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

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


class Hit(Memory):
    """A trace that a search found."""

    score: float = Field(ge=0, le=1, description="How relevant it is, from 0 to 1; comparable from query to query.")


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
