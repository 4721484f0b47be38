"""memory_restore: a deleted trace lives again, or an earlier version of a trace becomes the current one."""

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.domain.versions import is_same, newest_first, restored
from memtools.errors import NotFound
from memtools.tools.backend import Backend
from memtools.tools.changing import change


def memory_restore(backend: Backend, scope: Scope, given: arguments.Restore) -> replies.Restored:
    """Restore the version given, else what the trace was before it was deleted or merged away.

    A trace that is as it should be already changes nothing.
    """

    def step(current: Trace, stamp: Stamp) -> Trace | None:
        if current.live and given.version in (None, current.version):
            return None
        earlier = _find(backend, scope, current, given.version, stamp)
        if is_same(earlier, current):
            return None
        return restored(current, earlier, backend.embed([earlier.content])[0], stamp)

    trace, done = change(backend, scope, given.trace_id, None, step)
    return replies.Restored(restored=done, trace=replies.Memory.of(trace))


def _find(backend: Backend, scope: Scope, current: Trace, version: int | None, stamp: Stamp) -> Trace:
    """The version to restore, out of those kept."""
    kept = newest_first(current, backend.traces.history(scope, current.id, stamp.now))
    for earlier in kept:
        if earlier.alive(stamp.now) and version in (None, earlier.version):
            return earlier
    whole = [earlier.version for earlier in kept if earlier.alive(stamp.now)]
    raise NotFound(
        f"Memory {current.id} has no version {version} that could be restored; see `details.versions` and"
        " memory_history."
        if version
        else f"Nothing is left of memory {current.id} that could be restored.",
        id=current.id,
        versions=whole,
    )
