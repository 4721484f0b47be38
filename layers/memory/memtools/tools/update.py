"""memory_update: changes the content or the tags of one trace."""

from typing import Self

from pydantic import Field, model_validator

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace, require_fitting
from memtools.domain.versions import updated
from memtools.tools.changing import change, require_alive
from memtools.tools.tool import Arguments, Memory, Reply, Tags, Text, Tool, TraceId, Version


class Update(Arguments):
    trace_id: TraceId = Field(description="The id of the memory to change.")
    content: Text | None = Field(None, description="The new content, complete. Without it, the content stays.")
    tags: Tags | None = Field(None, description="The new tags, all of them. Without it, the tags stay.")
    version: Version | None = Field(
        None, description="The version that you have seen. If the memory has changed since, the update is refused."
    )

    @model_validator(mode="after")
    def _something_to_do(self) -> Self:
        if self.content is None and self.tags is None:
            raise ValueError("give `content`, `tags` or both")
        if self.content is not None and not self.content.strip():
            raise ValueError("`content` is blank. To forget a memory, call memory_delete")
        return self


class Updated(Reply):
    changes = True

    updated: bool = Field(description="False if the memory was already like this.")
    trace: Memory


def run(backend: Backend, scope: Scope, arguments: Update) -> Updated:
    """Update the trace. Absent arguments change nothing, and neither do equal content and tags."""
    if arguments.content is not None:
        require_fitting([arguments.content], argument="content")

    def step(current: Trace, stamp: Stamp) -> Trace | None:
        require_alive(current, stamp)
        content = current.content if arguments.content is None else arguments.content
        tags = current.tags if arguments.tags is None else tuple(arguments.tags)
        if (content, tags) == (current.content, current.tags):
            return None
        embedding = current.embedding if content == current.content else backend.embedder.embed([content])[0]
        return updated(current, content, tags, embedding, stamp)

    trace, done = change(backend, scope, arguments.trace_id, arguments.version, step)
    return Updated(updated=done, trace=Memory.of(trace))


TOOL = Tool(
    name="memory_update",
    title="Correct a memory",
    function="edit",
    description="Correct one memory: its content, its tags or both. Call it when a fact has changed or was wrong."
    " Search for its id first. The replaced version is kept and can be restored. It never adds a memory and never"
    " changes another one.",
    arguments=Update,
    reply=Updated,
    run=run,
)
