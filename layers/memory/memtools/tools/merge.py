"""memory_merge: several traces become one in one transaction, with every version in its condition."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from memtools.backend import Backend
from memtools.domain import versions
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.domain.trace import Stamp, Trace, require_fitting
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts
from memtools.tools.tool import Arguments, Memory, Reply, Text, Tool, TraceId

# A merge is one transaction, which has room for two actions a trace.
MERGE_LIMIT = 50
_FEWEST = 2


def _distinct(ids: list[str]) -> list[str]:
    if len(set(ids)) < len(ids):
        raise ValueError("the ids have to be distinct")
    return ids


class Merge(Arguments):
    """Arguments of memory_merge."""

    trace_ids: Annotated[
        list[TraceId], Field(min_length=_FEWEST, max_length=MERGE_LIMIT), AfterValidator(_distinct)
    ] = Field(
        description="The ids of 2 to 50 memories that say the same or belong together, as memory_search returned them."
    )
    merged_content: Text | None = Field(
        None,
        description="The one text that says it all, kept to the letter. Without it the contents are joined by ' | '.",
    )


class Merged(Reply):
    """Reply of memory_merge."""

    changes = True

    survivor_id: str
    deleted_ids: list[str] = Field(description="The memories that went into the survivor, in the order given.")
    missing_ids: list[str] = Field(description="Ids given that name no live memory.")
    trace: Memory


def run(backend: Backend, scope: Scope, given: Merge) -> Merged:
    """Merge the live ones among the traces named. The same merge sent again answers the same.

    A trace that changes meanwhile is a conflict; one that is only retrieved meanwhile is counted, and merged anyway.
    """
    call = digest(*given.trace_ids, given.merged_content or "")
    stamp = backend.stamp()
    seen: Mapping[str, Trace] = {}
    for _ in attempts():
        found = backend.traces.get(scope, given.trace_ids)
        live = [found[name] for name in given.trace_ids if name in found and found[name].alive(stamp.now)]
        inside = _inside(backend, scope, found, live)
        if inside and _says_so(live[0], given, call):
            return _reply(live[0], given.trace_ids, inside)
        if changed := [
            name for name, trace in seen.items() if name not in found or found[name].version != trace.version
        ]:
            raise _changed(changed)
        if len(live) < _FEWEST:
            raise _too_few(found, live, given.trace_ids)
        steps = _steps(backend, live, given, call, stamp)
        try:
            backend.traces.commit(scope, stamp, [Write(before, after, counted=True) for before, after in steps])
        except ConditionFailed:
            seen = {trace.id: trace for trace in live}
            continue
        return _reply(steps[0][1], given.trace_ids, [before.id for before, _ in steps[1:]])
    raise Unavailable("These memories are in use at this moment; nothing was merged. Send the call again.")


def _steps(backend: Backend, live: Sequence[Trace], given: Merge, call: str, stamp: Stamp) -> list[tuple[Trace, Trace]]:
    content = versions.merged_content(live, given.merged_content)
    require_fitting([content], argument="mergedContent")
    return versions.merge(
        live,
        content=content,
        embedding=backend.embedder.embed([content])[0],
        call=call,
        stamp=stamp,
        retention=backend.retention,
    )


def _inside(backend: Backend, scope: Scope, found: Mapping[str, Trace], live: Sequence[Trace]) -> list[str]:
    """The traces found that are still merged into the only live one, at once or by way of others.

    So it is once this very merge has happened. A source that was brought back since is live, and is merged again.
    """
    inside = []
    for trace in found.values() if len(live) == 1 else ():
        into = trace.merged_into
        while into and into != live[0].id:
            between = backend.traces.get(scope, [into]).get(into)
            into = between.merged_into if between else None
        if into:
            inside.append(trace.id)
    return inside


def _says_so(survivor: Trace, given: Merge, call: str) -> bool:
    """Whether the survivor says what the merge asks for, or did when this very merge made it."""
    this_merge = survivor.merge is not None and survivor.merge.call == call
    return this_merge or not (given.merged_content or "").strip() or given.merged_content == survivor.content


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


def _reply(survivor: Trace, ids: Sequence[str], sources: Sequence[str]) -> Merged:
    return Merged(
        survivor_id=survivor.id,
        deleted_ids=[name for name in ids if name in sources],
        missing_ids=[name for name in ids if name != survivor.id and name not in sources],
        trace=Memory.of(survivor),
    )


TOOL = Tool(
    name="memory_merge",
    function="merge",
    description="Merge memories that say the same, or parts of the same, into one. Call it when a search returns"
    " near-duplicates or fragments. The one retrieved most survives with the merged content and all tags; the others no"
    " longer appear. All of it happens or none of it, and a memory that changed meanwhile is never overwritten.",
    arguments=Merge,
    reply=Merged,
    run=run,
)
