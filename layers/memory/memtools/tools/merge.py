"""memory_merge: several traces become one in one transaction, with every version in its condition."""

from collections.abc import Mapping, Sequence

from memtools.catalogue import arguments, replies
from memtools.domain import merging
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.domain.trace import Stamp, Trace, require_fitting
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts
from memtools.tools.backend import Backend

_FEWEST = 2


def memory_merge(backend: Backend, scope: Scope, given: arguments.Merge) -> replies.Merged:
    """Merge the live ones among the traces named. The same merge sent again answers the same.

    A trace that changes meanwhile is a conflict; one that is only retrieved meanwhile is counted, and merged anyway.
    """
    call = digest(*given.trace_ids, given.merged_content or "")
    stamp = backend.stamp()
    seen: Mapping[str, Trace] = {}
    for _ in attempts():
        found = backend.traces.get(scope, given.trace_ids)
        if done := _done_before(found, call, stamp):
            return _reply(done, given.trace_ids)
        if changed := [
            name for name, trace in seen.items() if name not in found or found[name].version != trace.version
        ]:
            raise _changed(changed)
        live = [found[name] for name in given.trace_ids if name in found and found[name].alive(stamp.now)]
        if len(live) < _FEWEST:
            raise _too_few(found, live, given.trace_ids)
        steps = _steps(backend, live, given, call, stamp)
        try:
            backend.traces.commit(scope, stamp, [Write(before, after, counted=True) for before, after in steps])
        except ConditionFailed:
            seen = {trace.id: trace for trace in live}
            continue
        return _reply(steps[0][1], given.trace_ids)
    raise Unavailable("These memories are in use at this moment; nothing was merged. Send the call again.")


def _steps(
    backend: Backend, live: Sequence[Trace], given: arguments.Merge, call: str, stamp: Stamp
) -> list[tuple[Trace, Trace]]:
    content = merging.merged_content(live, given.merged_content)
    require_fitting([content], argument="mergedContent")
    return merging.merge(
        live,
        content=content,
        embedding=backend.embed([content])[0],
        call=call,
        stamp=stamp,
        retention=backend.retention,
    )


def _done_before(found: Mapping[str, Trace], call: str, stamp: Stamp) -> Trace | None:
    """The survivor of this very merge, where it has happened and its outcome still stands."""
    for trace in found.values():
        if trace.alive(stamp.now) and trace.merge and trace.merge.call == call and trace.merge.outcome == trace.version:
            return trace
    return None


def _too_few(found: Mapping[str, Trace], live: Sequence[Trace], ids: Sequence[str]) -> NotFound:
    missing = [name for name in ids if name not in {trace.id for trace in live}]
    return NotFound(
        f"Found {len(live)} of {len(ids)} memories; a merge takes at least two. Nothing was changed. Search again for"
        " ids that are current: those in `details.mergedInto` have become part of another memory.",
        found=[trace.id for trace in live],
        missingIds=missing,
        mergedInto={name: found[name].merged_into for name in missing if name in found and found[name].merged_into},
    )


def _changed(names: Sequence[str]) -> Conflict:
    return Conflict(
        f"Changed by someone else in the meantime: {', '.join(names)}. Nothing was merged. Search again, and merge what"
        " still belongs together.",
        traceIds=list(names),
    )


def _reply(survivor: Trace, ids: Sequence[str]) -> replies.Merged:
    sources = survivor.merge.sources if survivor.merge else ()
    return replies.Merged(
        survivor_id=survivor.id,
        deleted_ids=[name for name in ids if name in sources],
        missing_ids=[name for name in ids if name != survivor.id and name not in sources],
        trace=replies.Memory.of(survivor),
    )
