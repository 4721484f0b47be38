"""What updating, deleting and restoring share: writing a trace's next version despite concurrent changes."""

from collections.abc import Callable

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace
from memtools.domain.versions import newest_first
from memtools.domain.writes import writes_since
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts

Step = Callable[[Trace, Stamp], Trace | None]


def change(backend: Backend, scope: Scope, trace_id: str, version: int | None, step: Step) -> tuple[Trace, bool]:
    """Write the version that ``step`` makes of the current one; the trace afterwards, and whether it changed.

    If another change comes first, the step runs again on the new version. A call that was sent before gets the version
    that it made then. A step that has nothing to do returns ``None``. Then the call succeeds whatever ``version`` it
    expects, so that a retry does not conflict with its own success.

    Raises:
        NotFound: the caller's scope has no trace with this id.
        Conflict: the trace is not at the expected version.
        InvalidArguments: the call's idempotency key came with other arguments before.
    """
    stamp = backend.stamp()
    for _ in attempts():
        current = backend.traces.get(scope, [trace_id]).get(trace_id)
        if current is None or current.expired(stamp.now):
            raise unknown(trace_id)
        if made := made_before(backend, scope, current, stamp):
            return made, True
        after = step(current, stamp)
        if after is None:
            return current, False
        require_version(current, version)
        try:
            backend.traces.commit(scope, stamp, [Write(current, after)])
        except ConditionFailed:
            continue
        return after, True
    raise Unavailable("Too many other calls are changing this memory right now. Send the call again.")


def made_before(backend: Backend, scope: Scope, trace: Trace, stamp: Stamp) -> Trace | None:
    """The version that this same call made of the trace when it was sent before, if it was.

    If that version is no longer kept, the current one. Raises InvalidArguments, see ``writes_since``.
    """
    since = writes_since(stamp.write, trace.writes)
    if not since:
        return None if since is None else trace
    cutoff = stamp.now - backend.retention
    kept = newest_first(trace, backend.traces.history(scope, trace.id, stamp.now), cutoff)
    return next((version for version in kept if version.version == trace.version - since), trace)


def require_version(trace: Trace, version: int | None) -> None:
    """Raise Conflict, with the current content, if the trace is not at the version that the caller expects."""
    if version is not None and version != trace.version:
        raise Conflict(
            f"Memory {trace.id} is at version {trace.version}, not {version}. Nothing was changed. Decide again with"
            " its current content, which is in `details`.",
            id=trace.id,
            version=trace.version,
            content=trace.content,
            tags=list(trace.tags),
        )


def unknown(trace_id: str) -> NotFound:
    """The error for an id that the scope does not have, or no longer has."""
    return NotFound(
        f"Memory {trace_id} does not exist. Call memory_search or memory_list to get current ids.", id=trace_id
    )


def require_alive(trace: Trace, stamp: Stamp) -> None:
    """Raise NotFound, which says what happened to the trace, unless it is alive."""
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
