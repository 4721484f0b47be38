"""What each tool answers. Absent values are None. Made from the catalogue by `make generate`: change it there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a score came about: a weighted sum of the two scores, times the three factors, at most 1."""

    word_score: float
    """How well the words match, as a share of the best possible match."""
    meaning_score: float | None = None
    """The cosine of the embeddings, less what all memories have in common; absent without two embeddings."""
    neighbour_factor: float
    """Above 1 where other matches were remembered around the same time."""
    name_factor: float
    """Below 1 where the memory has none of the names in the query."""
    meaning_only_factor: float
    """2 where no memory has any of the query's words, else 1."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            word_score=reply["wordScore"],
            meaning_score=reply.get("meaningScore"),
            neighbour_factor=reply["neighbourFactor"],
            name_factor=reply["nameFactor"],
            meaning_only_factor=reply["meaningOnlyFactor"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that a search found."""

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
    """Every memory that was ever merged into this one."""
    score: float
    """How relevant it is, from 0 to 1; comparable from query to query."""
    explanation: Explanation | None = None
    """How the score came about, where `explain` asks for it."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            id=reply["id"],
            content=reply["content"],
            tags=reply["tags"],
            version=reply["version"],
            created_at=datetime.fromisoformat(reply["createdAt"]),
            updated_at=datetime.fromisoformat(reply["updatedAt"]),
            occurred_at=datetime.fromisoformat(reply["occurredAt"]) if "occurredAt" in reply else None,
            expires_at=datetime.fromisoformat(reply["expiresAt"]) if "expiresAt" in reply else None,
            retrieval_count=reply["retrievalCount"],
            last_retrieved_at=datetime.fromisoformat(reply["lastRetrievedAt"]) if "lastRetrievedAt" in reply else None,
            merged_from=reply.get("mergedFrom"),
            score=reply["score"],
            explanation=Explanation.of(reply["explanation"]) if "explanation" in reply else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Reply of memory_search."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    results: list[Hit]
    """The most relevant first; empty where nothing is relevant."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            results=[Hit.of(one) for one in reply["results"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A live trace as callers read it."""

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
    """Every memory that was ever merged into this one."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            id=reply["id"],
            content=reply["content"],
            tags=reply["tags"],
            version=reply["version"],
            created_at=datetime.fromisoformat(reply["createdAt"]),
            updated_at=datetime.fromisoformat(reply["updatedAt"]),
            occurred_at=datetime.fromisoformat(reply["occurredAt"]) if "occurredAt" in reply else None,
            expires_at=datetime.fromisoformat(reply["expiresAt"]) if "expiresAt" in reply else None,
            retrieval_count=reply["retrievalCount"],
            last_retrieved_at=datetime.fromisoformat(reply["lastRetrievedAt"]) if "lastRetrievedAt" in reply else None,
            merged_from=reply.get("mergedFrom"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Reply of memory_list."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    results: list[Memory]
    """The newest first."""
    next_cursor: str | None = None
    """Where the next page begins; absent on the last one."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            results=[Memory.of(one) for one in reply["results"]],
            next_cursor=reply.get("nextCursor"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """Reply of memory_read."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    text: str
    version: str
    """Changes whenever the text does; `none` where nothing is there yet."""
    found: list[str]
    """The files that are there."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            text=reply["text"],
            version=reply["version"],
            found=reply["found"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PastVersion:
    """One version of a memory or of a document."""

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
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            version=reply["version"],
            change=reply["change"],
            at=datetime.fromisoformat(reply["at"]),
            content=reply["content"],
            tags=reply.get("tags"),
            reason=reply.get("reason"),
            merged_from=reply.get("mergedFrom"),
            merged_into=reply.get("mergedInto"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Reply of memory_history."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    versions: list[PastVersion]
    """The newest first."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            versions=[PastVersion.of(one) for one in reply["versions"]],
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
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            score=reply["score"],
            trace_ids=reply["traceIds"],
            traces=[Memory.of(one) for one in reply["traces"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Reply of memory_duplicates."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    groups: list[Group]
    """The most alike first; empty where nothing is said twice."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            groups=[Group.of(one) for one in reply["groups"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryText:
    """A memory by id and content."""

    id: str
    content: str

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            id=reply["id"],
            content=reply["content"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """Reply of memory_add."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    message: str
    saved: list[MemoryText]
    """The facts stored by this call."""
    duplicates: list[MemoryText]
    """For facts known before, the memories that say them already."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            message=reply["message"],
            saved=[MemoryText.of(one) for one in reply["saved"]],
            duplicates=[MemoryText.of(one) for one in reply["duplicates"]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """Reply of memory_edit."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    message: str
    changed: bool
    """False where the document said so already and nothing was written."""
    version: str
    """The document's version after this edit."""
    text: str
    """The whole document after this edit."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            message=reply["message"],
            changed=reply["changed"],
            version=reply["version"],
            text=reply["text"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """Reply of memory_update."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    updated: bool
    """False where it said so already."""
    trace: Memory

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            updated=reply["updated"],
            trace=Memory.of(reply["trace"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """Reply of memory_delete."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    deleted: bool
    """False where it was deleted already."""
    id: str

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            deleted=reply["deleted"],
            id=reply["id"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """Reply of memory_restore."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    restored: bool
    """False where it was so already."""
    trace: Memory

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            restored=reply["restored"],
            trace=Memory.of(reply["trace"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Reply of memory_merge."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    survivor_id: str
    deleted_ids: list[str]
    """The memories that went into the survivor, in the order given."""
    missing_ids: list[str]
    """Ids given that name no live memory."""
    trace: Memory

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            survivor_id=reply["survivorId"],
            deleted_ids=reply["deletedIds"],
            missing_ids=reply["missingIds"],
            trace=Memory.of(reply["trace"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmerged:
    """Reply of memory_unmerge."""

    left_out: int | None = None
    """How many items were left out because the reply was too large."""
    note: str | None = None
    """What limited this reply, and how to get the rest."""
    restored_ids: list[str]
    """The memories that live again because the merge was undone."""
    trace: Memory

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        return cls(
            left_out=reply.get("leftOut"),
            note=reply.get("note"),
            restored_ids=reply["restoredIds"],
            trace=Memory.of(reply["trace"]),
        )
