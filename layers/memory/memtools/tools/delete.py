"""memory_delete: turns a trace into a tombstone, which can be restored until the retention ends."""

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import REASON_LENGTH, Stamp, Status, Trace
from memtools.domain.versions import deleted
from memtools.tools.changing import change, require_alive
from memtools.tools.tool import Arguments, Reply, Text, Tool, TraceId, Version


class Delete(Arguments):
    trace_id: TraceId = Field(description="The id of the memory to forget.")
    reason: Text | None = Field(None, max_length=REASON_LENGTH, description="The reason, shown in the history.")
    version: Version | None = Field(
        None, description="The version that you have seen. If the memory has changed since, the deletion is refused."
    )


class Deleted(Reply):
    changes = True

    deleted: bool = Field(description="False if it was already deleted.")
    id: str


def run(backend: Backend, scope: Scope, arguments: Delete) -> Deleted:
    """Delete the trace. Does nothing if it is already deleted."""

    def step(current: Trace, stamp: Stamp) -> Trace | None:
        if current.status is Status.DELETED:
            return None
        require_alive(current, stamp)
        return deleted(current, arguments.reason, stamp, backend.retention)

    trace, done = change(backend, scope, arguments.trace_id, arguments.version, step)
    return Deleted(deleted=done, id=trace.id)


TOOL = Tool(
    name="memory_delete",
    title="Forget a memory",
    function="edit",
    description="Forget one memory. Call it when the user asks you to, or when the memory is wrong and nothing should"
    " replace it. Searches no longer return it. For some weeks, memory_restore can bring it back. Deleting it again"
    " changes nothing.",
    arguments=Delete,
    reply=Deleted,
    run=run,
)
