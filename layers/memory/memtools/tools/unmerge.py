"""memory_unmerge: a merge undone in one transaction, the last one first."""

from memtools.catalogue import arguments, replies
from memtools.domain import merging
from memtools.domain.scope import Scope
from memtools.domain.trace import Change, Merge, Trace
from memtools.domain.versions import newest_first
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts
from memtools.tools.backend import Backend
from memtools.tools.changing import require_alive, unknown


def memory_unmerge(backend: Backend, scope: Scope, given: arguments.Unmerge) -> replies.Unmerged:
    """The sources of the survivor's last merge live again, and the survivor is as it was before.

    Sources that were brought back in another way stay as they are. Where the last merge is undone already, the answer
    is that of the call which undid it.
    """
    stamp = backend.stamp()
    for _ in attempts():
        survivor = backend.traces.get(scope, [given.survivor_id]).get(given.survivor_id)
        if survivor is None:
            raise unknown(given.survivor_id)
        require_alive(survivor, stamp)
        kept = newest_first(survivor, backend.traces.history(scope, survivor.id, stamp.now))
        if survivor.merge is None or survivor.merge.outcome != survivor.version:
            return _undone_before(survivor, kept)
        replaced, sources = _as_merged(backend, scope, survivor.merge, kept)
        embeddings = backend.embed([source.content for source in sources])
        steps = merging.unmerge(survivor, replaced, sources, embeddings, stamp)
        try:
            backend.traces.commit(scope, stamp, [Write(before, after) for before, after in steps])
        except ConditionFailed:
            continue
        (_, after), *back = steps
        return _reply(after, [source.id for source, _ in back])
    raise Unavailable("Too many others change these memories at this moment; nothing was changed. Send the call again.")


def _as_merged(backend: Backend, scope: Scope, merge: Merge, kept: list[Trace]) -> tuple[Trace, list[Trace]]:
    """The survivor as the merge met it, and the tombstones it left which are still the last word on their traces."""
    survivor = kept[0]
    now = backend.clock.now()
    replaced = next((version for version in kept if version.version == merge.replaced), None)
    there = backend.traces.get(scope, merge.sources)
    found = [there[name] for name in merge.sources if name in there and not there[name].expired(now)]
    if replaced is None or len(found) < len(merge.sources):
        raise NotFound(
            "What went into this merge is no longer kept, so it cannot be undone: the time for that has passed.",
            id=survivor.id,
        )
    return replaced, [source for source in found if source.merged_into == survivor.id]


def _undone_before(survivor: Trace, kept: list[Trace]) -> replies.Unmerged:
    """The answer where there is no merge to undo right now: undone already, changed since, or never merged."""
    undone = kept[1].merge if len(kept) > 1 and kept[1].live and survivor.change is Change.UNMERGED else None
    if undone and undone.outcome == kept[1].version:
        return _reply(survivor, list(undone.sources))
    if survivor.merge:
        raise Conflict(
            f"Memory {survivor.id} has changed since the merge; nothing was changed. To undo the merge all the same,"
            f" first restore version {survivor.merge.outcome} with memory_restore.",
            id=survivor.id,
            version=survivor.version,
            mergeVersion=survivor.merge.outcome,
        )
    raise NotFound(f"Nothing was merged into memory {survivor.id}.", id=survivor.id)


def _reply(survivor: Trace, restored: list[str]) -> replies.Unmerged:
    return replies.Unmerged(restored_ids=restored, trace=replies.Memory.of(survivor))
