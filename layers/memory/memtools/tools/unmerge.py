"""memory_unmerge: undoes the last merge of a survivor in one transaction."""

from collections.abc import Sequence

from pydantic import Field

from memtools.backend import Backend
from memtools.domain import versions
from memtools.domain.scope import Scope
from memtools.domain.trace import Change, MergeRecord, Stamp, Trace
from memtools.errors import Conflict, NotFound, Unavailable, Uncertain
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts
from memtools.tools.changing import made_before, require_alive, require_version, unknown
from memtools.tools.tool import Arguments, Memory, Reply, Tool, TraceId, Version


class Unmerge(Arguments):
    survivor_id: TraceId = Field(description="The id of the memory that resulted from the merge.")
    version: Version | None = Field(
        None, description="The version that you have seen. If the memory has changed since, the call is refused."
    )


class Unmerged(Reply):
    changes = True

    restored_ids: list[str] = Field(description="The memories that came back.")
    trace: Memory


def run(backend: Backend, scope: Scope, arguments: Unmerge) -> Unmerged:
    """Bring back the sources of the survivor's last merge, and make the survivor what it was before.

    Sources that were brought back in another way stay as they are. If the survivor's last change was an unmerge and
    there is no earlier merge, there is nothing to do, and the reply is that of the call that did it. The same holds if
    that unmerge undid the version given.
    """
    stamp = backend.stamp()
    for _ in attempts():
        survivor = backend.traces.get(scope, [arguments.survivor_id]).get(arguments.survivor_id)
        if survivor is None:
            raise unknown(arguments.survivor_id)
        if made := made_before(backend, scope, survivor, stamp):
            return Unmerged(restored_ids=_restored_by(backend, scope, survivor, made, stamp), trace=Memory.of(made))
        require_alive(survivor, stamp)
        merge = versions.undoable_merge(survivor)
        if merge is None or _was_undone(survivor, arguments.version):
            return _nothing_left(backend, scope, survivor, arguments.version)
        require_version(survivor, arguments.version)
        replaced, sources = _as_merged(backend, scope, survivor, merge)
        embeddings = backend.embedder.embed([source.content for source in sources])
        steps = versions.unmerge(survivor, replaced, sources, embeddings, stamp)
        try:
            _commit(backend, scope, stamp, steps, arguments.version)
        except ConditionFailed:
            continue
        return Unmerged(restored_ids=[source.id for source in sources], trace=Memory.of(steps[0][1]))
    # The last attempt may have failed because of its own success, whose response was lost.
    raise _unavailable(stamp, arguments.version)


def _was_undone(survivor: Trace, version: int | None) -> bool:
    """Whether the unmerge of this version is the survivor's last change."""
    return version is not None and survivor.change is Change.UNMERGED and survivor.version == version + 1


def _commit(
    backend: Backend, scope: Scope, stamp: Stamp, steps: Sequence[tuple[Trace, Trace]], version: int | None
) -> None:
    """Write the steps. Raises Uncertain instead of Unavailable if the call, sent again, would undo another merge."""
    try:
        backend.traces.commit(scope, stamp, [Write(before, after) for before, after in steps])
    except Unavailable as error:
        if versions.undoable_merge(steps[0][1]) is None:
            raise
        raise _unavailable(stamp, version) from error.__cause__


def _unavailable(stamp: Stamp, version: int | None) -> Unavailable:
    """The error for a call that may have been done, and that may undo an earlier merge if it is sent again."""
    if stamp.keyed or version is not None:
        return Unavailable("The memory store did not answer, or others use it too much. Send the call again.")
    return Uncertain(
        "The memory store did not answer, so the merge was undone, or not. Look at the memory first, and pass its"
        " `version` with the next memory_unmerge. The same call sent again may undo an earlier merge."
    )


def _as_merged(backend: Backend, scope: Scope, survivor: Trace, merge: MergeRecord) -> tuple[Trace, list[Trace]]:
    """The survivor before the merge, and the tombstones of the merge that are still tombstones."""
    now = backend.now()
    kept = versions.newest_first(survivor, backend.traces.history(scope, survivor.id, now), now - backend.retention)
    replaced = next((version for version in kept if version.version == merge.replaced), None)
    tombstones = backend.traces.get(scope, merge.sources)
    found = [tombstones[name] for name in merge.sources if name in tombstones and not tombstones[name].expired(now)]
    if replaced is None or len(found) < len(merge.sources):
        raise NotFound(
            "This merge can no longer be undone, because the merged memories are no longer kept.",
            id=survivor.id,
        )
    return replaced, [source for source in found if source.merged_into == survivor.id]


def _nothing_left(backend: Backend, scope: Scope, survivor: Trace, version: int | None) -> Unmerged:
    """The reply if the merge was already undone. Raises if the survivor has changed since, or was never merged."""
    if survivor.change is Change.UNMERGED and (version is None or _was_undone(survivor, version)):
        return Unmerged(restored_ids=_restored_by_last_unmerge(backend, scope, survivor), trace=Memory.of(survivor))
    if survivor.merge:
        raise Conflict(
            f"Memory {survivor.id} has changed since the merge. Nothing was changed. To undo the merge anyway, first"
            f" restore version {survivor.merge.outcome} with memory_restore.",
            id=survivor.id,
            version=survivor.version,
            mergeVersion=survivor.merge.outcome,
        )
    raise NotFound(f"No memory was merged into {survivor.id}.", id=survivor.id)


def _restored_by_last_unmerge(backend: Backend, scope: Scope, survivor: Trace) -> list[str]:
    """The traces that the survivor's last write brought back and that have not changed since."""
    last = survivor.writes[:1]  # an import may bring a trace without one
    back = _sources_before(backend, scope, survivor, survivor.version)
    return [trace.id for trace in back if last and trace.live and trace.writes[:1] == last]


def _restored_by(backend: Backend, scope: Scope, survivor: Trace, made: Trace, stamp: Stamp) -> list[str]:
    """The traces that this call brought back when it made this version, whatever happened to them since."""
    back = _sources_before(backend, scope, survivor, made.version)
    return [trace.id for trace in back if stamp.write in trace.writes]


def _sources_before(backend: Backend, scope: Scope, survivor: Trace, version: int) -> list[Trace]:
    """The sources of the last merge before this version of the survivor, as they are now."""
    now = backend.now()
    kept = versions.newest_first(survivor, backend.traces.history(scope, survivor.id, now), now - backend.retention)
    merge = next((one.merge for one in kept if one.version == version - 1), None)
    sources = merge.sources if merge else ()
    found = backend.traces.get(scope, sources)
    return [found[name] for name in sources if name in found]


TOOL = Tool(
    name="memory_unmerge",
    title="Undo a merge",
    repeatable=False,
    function="merge",
    description="Undo the last merge of a memory: the merged memories come back, and the survivor says what it said"
    " before. Call it when a merge was a mistake. Called again, it undoes the merge before that one. If the survivor"
    " has changed since the merge, the call is refused and nothing changes.",
    arguments=Unmerge,
    reply=Unmerged,
    run=run,
)
