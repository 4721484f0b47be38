"""memory_delete: a trace is marked, purged after the retention, and until then can be restored."""

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.domain.versions import deleted
from memtools.tools.backend import Backend
from memtools.tools.changing import change, require_alive


def memory_delete(backend: Backend, scope: Scope, given: arguments.Delete) -> replies.Deleted:
    """Delete the trace."""

    def step(current: Trace, stamp: Stamp) -> Trace:
        require_alive(current, stamp)
        return deleted(current, given.reason, stamp, backend.retention)

    trace, done = change(backend, scope, given.trace_id, given.version, step)
    return replies.Deleted(deleted=done, id=trace.id)
