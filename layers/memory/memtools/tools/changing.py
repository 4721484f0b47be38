"""What updating, deleting and restoring share: one trace's next version, against whatever else happens to it."""

from collections.abc import Callable

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts

Step = Callable[[Trace, Stamp], Trace | None]


def change(backend: Backend, scope: Scope, trace_id: str, version: int | None, step: Step) -> tuple[Trace, bool]:
    """Take ``step`` on the trace as it is; the trace afterwards, and whether that changed it.

    After a lost race the step runs again on the fresh trace. A step that has nothing to do (``None``) is a success
    whatever ``version`` is expected: so a retry does not conflict with its own first success.

    Raises:
        NotFound: the caller's scope has no trace of this id.
        Conflict: the trace is not at the version expected.
    """
    stamp = backend.stamp()
    for _ in attempts():
        current = backend.traces.get(scope, [trace_id]).get(trace_id)
        if current is None or current.expired(stamp.now):
            raise unknown(trace_id)
        after = step(current, stamp)
        if after is None:
            return current, False
        if version is not None and version != current.version:
            raise _outdated(current, version)
        try:
            backend.traces.commit(scope, stamp, [Write(current, after)])
        except ConditionFailed:
            continue
        return after, True
    raise Unavailable(
        "Too many other calls are changing this memory right now. Nothing was changed. Send the call again."
    )


def unknown(trace_id: str) -> NotFound:
    """The caller's scope has no such trace, or no longer."""
    return NotFound(
        f"Memory {trace_id} does not exist. Call memory_search or memory_list to get current ids.", id=trace_id
    )


def require_alive(trace: Trace, stamp: Stamp) -> None:
    """Raise NotFound, saying what became of it, unless the trace is alive."""
    if trace.expired(stamp.now):
        raise unknown(trace.id)
    if trace.live:
        return
    if trace.merged_into:
        raise NotFound(
            f"Memory {trace.id} was merged into {trace.merged_into}. Use that one, or undo the merge with"
            " memory_unmerge.",
            id=trace.id,
            mergedInto=trace.merged_into,
        )
    raise NotFound(f"Memory {trace.id} was deleted. memory_restore can bring it back.", id=trace.id)


def _outdated(current: Trace, version: int) -> Conflict:
    return Conflict(
        f"Memory {current.id} is at version {current.version}, not {version}. Nothing was changed. Decide again with"
        " its current content, which is in `details`.",
        id=current.id,
        version=current.version,
        content=current.content,
        tags=list(current.tags),
    )
