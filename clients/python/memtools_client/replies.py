"""What each tool answers. Absent values are None. Made from the catalogue by generate.py: change it there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a score is made of."""

    words: float
    """The share of what BM25 could give any text for this query."""
    meaning: float | None = None
    """The cosine of the two embeddings, less what all memories have in common; absent without two."""
    lift: float
    """The factor for what else was said around the same time."""
    names: float
    """The factor for names in the query that the memory does not have."""
    alone: float
    """2 where no memory has any of the query's words, so that meaning alone speaks."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            words=told["words"],
            meaning=told.get("meaning"),
            lift=told["lift"],
            names=told["names"],
            alone=told["alone"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A trace that a search found."""

    id: str
    content: str
    tags: list[str]
    version: int
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    retrieval_count: int
    """How often a search returned it."""
    last_retrieved_at: datetime | None = None
    merged_from: list[str] | None = None
    """Every trace that ever went into this one."""
    score: float
    """How relevant it is, from 0 to 1; comparable from query to query."""
    explanation: Parts | None = None
    """What the score is made of, where `explain` asks for it."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            id=told["id"],
            content=told["content"],
            tags=told["tags"],
            version=told["version"],
            created_at=datetime.fromisoformat(told["createdAt"]),
            updated_at=datetime.fromisoformat(told["updatedAt"]),
            occurred_at=datetime.fromisoformat(told["occurredAt"]) if "occurredAt" in told else None,
            expires_at=datetime.fromisoformat(told["expiresAt"]) if "expiresAt" in told else None,
            retrieval_count=told["retrievalCount"],
            last_retrieved_at=datetime.fromisoformat(told["lastRetrievedAt"]) if "lastRetrievedAt" in told else None,
            merged_from=told.get("mergedFrom"),
            score=told["score"],
            explanation=Parts.of(told["explanation"]) if "explanation" in told else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Reply of memory_search."""

    results: list[Hit]
    """The most relevant first; empty where nothing is relevant."""
    note: str | None = None
    """What limited this search, if anything did."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            results=[Hit.of(one) for one in told["results"]],
            note=told.get("note"),
            left_out=told.get("leftOut"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A live trace, whole."""

    id: str
    content: str
    tags: list[str]
    version: int
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    retrieval_count: int
    """How often a search returned it."""
    last_retrieved_at: datetime | None = None
    merged_from: list[str] | None = None
    """Every trace that ever went into this one."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            id=told["id"],
            content=told["content"],
            tags=told["tags"],
            version=told["version"],
            created_at=datetime.fromisoformat(told["createdAt"]),
            updated_at=datetime.fromisoformat(told["updatedAt"]),
            occurred_at=datetime.fromisoformat(told["occurredAt"]) if "occurredAt" in told else None,
            expires_at=datetime.fromisoformat(told["expiresAt"]) if "expiresAt" in told else None,
            retrieval_count=told["retrievalCount"],
            last_retrieved_at=datetime.fromisoformat(told["lastRetrievedAt"]) if "lastRetrievedAt" in told else None,
            merged_from=told.get("mergedFrom"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Reply of memory_list."""

    results: list[Memory]
    """The newest first."""
    next_cursor: str | None = None
    """Where the next page begins; absent on the last one."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            results=[Memory.of(one) for one in told["results"]],
            next_cursor=told.get("nextCursor"),
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Reply of memory_read."""

    text: str
    version: str
    """Changes whenever the text does; `none` where nothing is there yet."""
    found: list[str]
    """The files that are there."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            text=told["text"],
            version=told["version"],
            found=told["found"],
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a trace or of a document."""

    version: int | str
    change: str
    """What made this version."""
    at: datetime
    content: str
    tags: list[str] | None = None
    reason: str | None = None
    merged_from: list[str] | None = None
    merged_into: str | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            version=told["version"],
            change=told["change"],
            at=datetime.fromisoformat(told["at"]),
            content=told["content"],
            tags=told.get("tags"),
            reason=told.get("reason"),
            merged_from=told.get("mergedFrom"),
            merged_into=told.get("mergedInto"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Reply of memory_history."""

    versions: list[Version]
    """The newest first."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            versions=[Version.of(one) for one in told["versions"]],
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Memories that likely say the same."""

    score: float
    """How alike each two of them are at least, from 0 to 1."""
    trace_ids: list[str]
    """Their ids, the oldest first, as memory_merge takes them."""
    traces: list[Memory]
    """The same, whole."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            score=told["score"],
            trace_ids=told["traceIds"],
            traces=[Memory.of(one) for one in told["traces"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Reply of memory_duplicates."""

    groups: list[Group]
    """The most alike first; empty where nothing is said twice."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            groups=[Group.of(one) for one in told["groups"]],
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A trace by id and content."""

    id: str
    content: str

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            id=told["id"],
            content=told["content"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """Reply of memory_add."""

    message: str
    saved: list[Named]
    """The facts stored by this call."""
    duplicates: list[Named]
    """For facts known before, the traces that already hold them."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            message=told["message"],
            saved=[Named.of(one) for one in told["saved"]],
            duplicates=[Named.of(one) for one in told["duplicates"]],
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """Reply of memory_edit."""

    message: str
    version: str
    """The document's version after this edit."""
    text: str
    """The whole document after this edit."""
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            message=told["message"],
            version=told["version"],
            text=told["text"],
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """Reply of memory_update."""

    updated: bool
    """False where it said so already."""
    trace: Memory
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            updated=told["updated"],
            trace=Memory.of(told["trace"]),
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """Reply of memory_delete."""

    deleted: bool
    id: str
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            deleted=told["deleted"],
            id=told["id"],
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """Reply of memory_restore."""

    restored: bool
    """False where it was so already."""
    trace: Memory
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            restored=told["restored"],
            trace=Memory.of(told["trace"]),
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Reply of memory_merge."""

    survivor_id: str
    deleted_ids: list[str]
    """The traces that went into the survivor, in the order given."""
    missing_ids: list[str]
    """Ids given that name no live trace."""
    trace: Memory
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            survivor_id=told["survivorId"],
            deleted_ids=told["deletedIds"],
            missing_ids=told["missingIds"],
            trace=Memory.of(told["trace"]),
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmerged:
    """Reply of memory_unmerge."""

    restored_ids: list[str]
    """The memories that live again."""
    trace: Memory
    left_out: int | None = None
    """How many results were left out of a reply too large."""
    note: str | None = None
    """How to get at what was left out."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            restored_ids=told["restoredIds"],
            trace=Memory.of(told["trace"]),
            left_out=told.get("leftOut"),
            note=told.get("note"),
        )
