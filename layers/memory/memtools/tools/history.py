"""memory_history: lists the versions of a trace or a document, each with the change that made it."""

from typing import Literal, Self

from pydantic import Field, model_validator

from memtools.backend import Backend
from memtools.domain.document import FILES, Document, Target
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace
from memtools.domain.undoing import change_of
from memtools.domain.versions import newest_first
from memtools.tools.changing import unknown
from memtools.tools.tool import Arguments, Limit, Part, Reply, Timestamp, Tool, TraceId


class History(Arguments):
    trace_id: TraceId | None = Field(None, description="The id of the memory whose versions you want.")
    target: Literal["self", "user"] | None = Field(
        None, description="Or a document: `self` for MEMORY.md, `user` for USER.md."
    )
    limit: Limit = Field(20, description="Maximum number of versions, 1 to 100.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if (self.trace_id is None) == (self.target is None):
            raise ValueError("give either `traceId` or `target`, not both")
        return self


class PastVersion(Part):
    """One version of a memory or of a document."""

    version: int | str
    change: str = Field(description="The change that made this version.")
    at: Timestamp
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
    def of_document(cls, document: Document) -> Self:
        """A version of a document as callers see it."""
        assert document.written_at is not None
        return cls(version=document.version, change=change_of(document), at=document.written_at, content=document.text)


class Versions(Reply):
    shortens = ("versions",)
    left_out_note = (
        "The {count} oldest of these versions were left out because the reply would be too large. They still exist; a"
        " memory's versions can be restored by number."
    )
    too_large = "It still exists and can be restored."

    versions: list[PastVersion] = Field(description="Newest first.")


def run(backend: Backend, scope: Scope, arguments: History) -> Versions:
    """The versions that are kept, newest first."""
    if arguments.trace_id is not None:
        return Versions(versions=_of_trace(backend, scope, arguments.trace_id)[: arguments.limit])
    name = FILES[Target(arguments.target or Target.SELF)]
    documents = backend.personas.versions(scope, name, arguments.limit)
    return Versions(versions=[PastVersion.of_document(document) for document in documents])


def _of_trace(backend: Backend, scope: Scope, trace_id: str) -> list[PastVersion]:
    now = backend.now()
    current = backend.traces.get(scope, [trace_id]).get(trace_id)
    if current is None or current.expired(now):
        raise unknown(trace_id)
    versions = newest_first(current, backend.traces.history(scope, trace_id, now), now - backend.retention)
    return [PastVersion.of_trace(version) for version in versions]


TOOL = Tool(
    name="memory_history",
    title="See earlier versions",
    function="search",
    description="See the versions of one memory (`traceId`) or one document (`target`), newest first, each with its"
    " change. Call it before memory_restore, before `undo` in memory_edit, or when the user asks why you remember"
    " something. It changes nothing.",
    arguments=History,
    reply=Versions,
    run=run,
)
