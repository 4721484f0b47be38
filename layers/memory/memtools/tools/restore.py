"""memory_restore: restores a deleted trace, or an earlier version of a trace."""

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.domain.versions import is_same, newest_first, restored
from memtools.errors import NotFound
from memtools.tools.changing import change
from memtools.tools.tool import Arguments, Memory, Reply, Tool, TraceId, Version


class Restore(Arguments):
    trace_id: TraceId = Field(description="The id of the memory to bring back.")
    version: Version | None = Field(
        None,
        description="A version from memory_history, to bring back its content. Without it, a deleted memory comes back"
        " as it was.",
    )


class Restored(Reply):
    changes = True

    restored: bool = Field(description="False if the memory was already like this.")
    trace: Memory


def run(backend: Backend, scope: Scope, arguments: Restore) -> Restored:
    """Restore the given version, or else the last one before the trace was deleted or merged away.

    Does nothing if the trace is already like that.
    """

    def step(current: Trace, stamp: Stamp) -> Trace | None:
        if current.live and arguments.version in (None, current.version):
            return None
        earlier = _find(backend, scope, current, arguments.version, stamp)
        if is_same(earlier, current):
            return None
        return restored(current, earlier, backend.embedder.embed([earlier.content])[0], stamp)

    trace, done = change(backend, scope, arguments.trace_id, None, step)
    return Restored(restored=done, trace=Memory.of(trace))


def _find(backend: Backend, scope: Scope, current: Trace, version: int | None, stamp: Stamp) -> Trace:
    """The version to restore."""
    kept = newest_first(current, backend.traces.history(scope, current.id, stamp.now), stamp.now - backend.retention)
    for earlier in kept:
        if earlier.alive(stamp.now) and version in (None, earlier.version):
            return earlier
    raise NotFound(
        f"Memory {current.id} has no version {version} that can be restored. See `details.versions` and memory_history."
        if version
        else f"Memory {current.id} has no version that can be restored.",
        id=current.id,
        versions=[earlier.version for earlier in kept if earlier.alive(stamp.now)],
    )


TOOL = Tool(
    name="memory_restore",
    title="Bring back a memory",
    function="edit",
    description="Bring back a deleted memory, or an earlier version of a memory. Call it when a deletion or a change"
    " was a mistake. It makes a new version, so nothing is lost.",
    arguments=Restore,
    reply=Restored,
    run=run,
)
