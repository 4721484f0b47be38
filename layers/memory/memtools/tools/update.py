"""memory_update: other content or tags for one trace."""

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.trace import Stamp, Trace, require_fitting
from memtools.domain.versions import updated
from memtools.tools.backend import Backend
from memtools.tools.changing import change, require_alive


def memory_update(backend: Backend, scope: Scope, given: arguments.Update) -> replies.Updated:
    """Update the trace; what is not given stays. Content and tags as they already are change nothing."""
    if given.content is not None:
        require_fitting([given.content], argument="content")

    def step(current: Trace, stamp: Stamp) -> Trace | None:
        require_alive(current, stamp)
        content = current.content if given.content is None else given.content
        tags = current.tags if given.tags is None else tuple(given.tags)
        if (content, tags) == (current.content, current.tags):
            return None
        embedding = current.embedding if content == current.content else backend.embed([content])[0]
        return updated(current, content, tags, embedding, stamp)

    trace, changed = change(backend, scope, given.trace_id, given.version, step)
    return replies.Updated(updated=changed, trace=replies.Memory.of(trace))
