"""The reply of each tool. Absent values are None. Made from the catalogue by `make generate`: change it there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
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
    """How often a search has returned it."""
    last_retrieved_at: datetime | None = None
    merged_from: list[str] | None = None
    """Every memory that was ever merged into this one."""
    score: float
    """How relevant it is, from 0 to 1. Scores of different queries are comparable."""
    explanation: Explanation | None = None
    """The parts of the score, if `explain` was true."""

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
    """Most relevant first; empty if nothing is relevant."""

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
    """How often a search has returned it."""
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
    """Newest first."""
    next_cursor: str | None = None
    """The cursor of the next page; absent on the last page."""

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
    """Changes whenever the text changes; `none` if the document does not exist yet."""
    found: list[str]
    """The files that exist."""

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
    """The change that made this version."""
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
    """Newest first."""

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
    """Memories that probably say the same thing."""

    score: float
    """The lowest similarity of any two of them, from 0 to 1."""
    trace_ids: list[str]
    """Their ids, oldest first, as memory_merge takes them."""
    traces: list[Memory]
    """The same memories, complete."""

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
    """Most similar first; empty if there are no duplicates."""

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
    """For facts that were already known, the memories that have them."""

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
    """False if the document was already like this and nothing was written."""
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
    """False if the memory was already like this."""
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
    """False if it was already deleted."""
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
    """False if the memory was already like this."""
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
    """The memories that were merged into the survivor, in the order given."""
    missing_ids: list[str]
    """The ids given that are not live memories."""
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
    """The memories that came back."""
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
