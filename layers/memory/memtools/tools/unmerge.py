"""memory_unmerge: undoes the last merge of a survivor in one transaction."""

from pydantic import Field

from memtools.backend import Backend
from memtools.domain import versions
from memtools.domain.scope import Scope
from memtools.domain.trace import Change, MergeRecord, Trace
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts
from memtools.tools.changing import require_alive, unknown
from memtools.tools.tool import Arguments, Memory, Reply, Tool, TraceId


class Unmerge(Arguments):
    survivor_id: TraceId = Field(description="The id of the memory that resulted from the merge.")


class Unmerged(Reply):
    changes = True

    restored_ids: list[str] = Field(description="The memories that came back.")
    trace: Memory


def run(backend: Backend, scope: Scope, arguments: Unmerge) -> Unmerged:
    """Bring back the sources of the survivor's last merge, and make the survivor what it was before.

    Sources that were brought back in another way stay as they are. If the survivor's last change was an unmerge and
    there is no earlier merge, there is nothing to do, and the reply is that of the call that did it.
    """
    stamp = backend.stamp()
    for _ in attempts():
        survivor = backend.traces.get(scope, [arguments.survivor_id]).get(arguments.survivor_id)
        if survivor is None:
            raise unknown(arguments.survivor_id)
        require_alive(survivor, stamp)
        if survivor.merge is None or survivor.merge.outcome != survivor.version:
            return _nothing_left(backend, scope, survivor)
        replaced, sources = _as_merged(backend, scope, survivor, survivor.merge)
        embeddings = backend.embedder.embed([source.content for source in sources])
        steps = versions.unmerge(survivor, replaced, sources, embeddings, stamp)
        try:
            backend.traces.commit(scope, stamp, [Write(before, after) for before, after in steps])
        except ConditionFailed:
            continue
        return Unmerged(restored_ids=[source.id for source in sources], trace=Memory.of(steps[0][1]))
    raise Unavailable(
        "Too many other calls are changing these memories right now. Nothing was changed. Send the call again."
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


def _nothing_left(backend: Backend, scope: Scope, survivor: Trace) -> Unmerged:
    """The reply if the merge was already undone. Raises if the survivor has changed since, or was never merged."""
    if survivor.change is Change.UNMERGED:
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
    now = backend.now()
    kept = versions.newest_first(survivor, backend.traces.history(scope, survivor.id, now), now - backend.retention)
    merge = kept[1].merge if len(kept) > 1 else None
    sources = merge.sources if merge else ()
    found = backend.traces.get(scope, sources)
    last = survivor.writes[:1]  # an import may bring a trace without one
    return [name for name in sources if last and name in found and found[name].live and found[name].writes[:1] == last]


TOOL = Tool(
    name="memory_unmerge",
    function="merge",
    description="Undo the last merge of a memory: the merged memories come back, and the survivor says what it said"
    " before. Call it when a merge was a mistake. If the survivor has changed since the merge, the call is refused and"
    " nothing changes.",
    arguments=Unmerge,
    reply=Unmerged,
    run=run,
)
