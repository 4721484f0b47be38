"""memory_merge: merges traces in one transaction, on condition that none of them has changed."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from memtools.backend import Backend
from memtools.domain import versions
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.domain.trace import TAG_LIMIT, Stamp, Trace, require_fitting
from memtools.domain.writes import writes_since
from memtools.errors import Conflict, NotFound, TooLarge, Unavailable
from memtools.ports import ConditionFailed, Write
from memtools.retry import attempts
from memtools.tools.changing import made_before
from memtools.tools.tool import Arguments, Memory, Reply, Text, Tool, TraceId

# A merge is one transaction of at most a hundred actions, and each trace may need two.
MERGE_LIMIT = 50
_FEWEST = 2


def _distinct(ids: list[str]) -> list[str]:
    if len(set(ids)) < len(ids):
        raise ValueError("the ids must be distinct")
    return ids


class Merge(Arguments):
    trace_ids: Annotated[
        list[TraceId], Field(min_length=_FEWEST, max_length=MERGE_LIMIT), AfterValidator(_distinct)
    ] = Field(
        description="The ids of 2 to 50 memories that say the same thing or belong together, as returned by"
        " memory_search."
    )
    merged_content: Text | None = Field(
        None,
        description="One text that says everything, stored verbatim. Without it, the contents are joined with ' | '.",
    )


class Merged(Reply):
    changes = True

    survivor_id: str
    deleted_ids: list[str] = Field(description="The memories that were merged into the survivor, in the order given.")
    missing_ids: list[str] = Field(description="The ids given that are not live memories.")
    trace: Memory


def run(backend: Backend, scope: Scope, arguments: Merge) -> Merged:
    """Merge those of the traces that are live. The same merge sent again returns the same reply.

    A trace that changes in the meantime is a conflict. If it is only retrieved, the merge is tried again with the new
    count.
    """
    call = digest(*arguments.trace_ids, arguments.merged_content or "")
    stamp = backend.stamp()
    seen: Mapping[str, Trace] = {}
    for _ in attempts():
        found = backend.traces.get(scope, arguments.trace_ids)
        if done := _done_before(backend, scope, found, arguments, stamp):
            return done
        live = [found[name] for name in arguments.trace_ids if name in found and found[name].alive(stamp.now)]
        inside = _inside(backend, scope, found, live)
        if inside and _says_so(live[0], arguments, call):
            return _reply(live[0], arguments.trace_ids, inside)
        if changed := [
            name for name, trace in seen.items() if name not in found or found[name].version != trace.version
        ]:
            raise Conflict(
                f"These memories changed in the meantime: {', '.join(changed)}. Nothing was merged. Search again, and"
                " merge what still belongs together.",
                traceIds=changed,
            )
        if len(live) < _FEWEST:
            raise _too_few(found, live, arguments.trace_ids)
        steps = _steps(backend, live, arguments, call, stamp)
        try:
            backend.traces.commit(scope, stamp, [Write(before, after, counted=True) for before, after in steps])
        except ConditionFailed:
            seen = {trace.id: trace for trace in live}
            continue
        return _reply(steps[0][1], arguments.trace_ids, [before.id for before, _ in steps[1:]])
    raise Unavailable("Other calls are using these memories right now. Send the call again.")


def _done_before(
    backend: Backend, scope: Scope, found: Mapping[str, Trace], arguments: Merge, stamp: Stamp
) -> Merged | None:
    """The reply of this same call when it was sent before, if it was, whatever happened to the traces since."""
    merged = [trace for trace in found.values() if writes_since(stamp.write, trace.writes) is not None]
    if not merged:
        return None
    one = made_before(backend, scope, merged[0], stamp) or merged[0]
    survivor = found.get(one.merged_into or "", one)
    made = made_before(backend, scope, survivor, stamp) or survivor
    return _reply(made, arguments.trace_ids, [trace.id for trace in merged if trace.id != made.id])


def _steps(
    backend: Backend, live: Sequence[Trace], arguments: Merge, call: str, stamp: Stamp
) -> list[tuple[Trace, Trace]]:
    content = versions.merged_content(live, arguments.merged_content)
    require_fitting([content], argument="mergedContent")
    _require_few_tags(live)
    return versions.merge(
        live,
        content=content,
        embedding=backend.embedder.embed([content])[0],
        call=call,
        stamp=stamp,
        retention=backend.retention,
    )


def _require_few_tags(live: Sequence[Trace]) -> None:
    count = len({tag for trace in live for tag in trace.tags})
    if count > TAG_LIMIT:
        raise TooLarge(
            f"The merged memory would have {count} tags; a memory can have {TAG_LIMIT}. Nothing was merged. Remove tags"
            " with memory_update first, or merge fewer memories.",
            size=count,
            limit=TAG_LIMIT,
        )


def _inside(backend: Backend, scope: Scope, found: Mapping[str, Trace], live: Sequence[Trace]) -> list[str]:
    """The traces in ``found`` that are still merged into the only live one, directly or through others.

    A source that was restored since is live, and is merged again.
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


def _says_so(survivor: Trace, arguments: Merge, call: str) -> bool:
    """Whether the survivor has the content that the merge asks for, or had it when this same merge made it."""
    this_merge = survivor.merge is not None and survivor.merge.call == call
    return this_merge or not (arguments.merged_content or "").strip() or arguments.merged_content == survivor.content


def _too_few(found: Mapping[str, Trace], live: Sequence[Trace], ids: Sequence[str]) -> NotFound:
    missing = [name for name in ids if name not in {trace.id for trace in live}]
    return NotFound(
        f"Found {len(live)} of {len(ids)} memories, but a merge needs at least two. Nothing was changed. Search again"
        " to get current ids. Those in `details.mergedInto` were merged into another memory.",
        found=[trace.id for trace in live],
        missingIds=missing,
        mergedInto={name: found[name].merged_into for name in missing if name in found and found[name].merged_into},
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
    title="Merge memories",
    function="merge",
    description="Merge memories that say the same thing, or parts of it, into one. Call it when a search returns"
    " near-duplicates or fragments. The memory that was retrieved most often survives, with the merged content and all"
    " tags. The others no longer appear. The merge happens whole or not at all, and never overwrites a memory that"
    " changed in the meantime.",
    arguments=Merge,
    reply=Merged,
    run=run,
)
