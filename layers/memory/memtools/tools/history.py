"""memory_history: the versions of a trace or a document, each with what made it."""

from memtools.catalogue import arguments, replies
from memtools.domain.document import FILES, Target
from memtools.domain.scope import Scope
from memtools.domain.versions import newest_first
from memtools.tools.backend import Backend
from memtools.tools.changing import unknown


def memory_history(backend: Backend, scope: Scope, given: arguments.History) -> replies.Versions:
    """The versions kept, newest first."""
    if given.trace_id is not None:
        return replies.Versions(versions=_of_trace(backend, scope, given.trace_id)[: given.limit])
    name = FILES[Target(given.target or Target.SELF)]
    documents = backend.personas.versions(scope, name, given.limit)
    return replies.Versions(versions=[replies.Version.of_document(document) for document in documents])


def _of_trace(backend: Backend, scope: Scope, trace_id: str) -> list[replies.Version]:
    now = backend.clock.now()
    current = backend.traces.get(scope, [trace_id]).get(trace_id)
    if current is None or current.expired(now):
        raise unknown(trace_id)
    versions = newest_first(current, backend.traces.history(scope, trace_id, now))
    return [replies.Version.of_trace(version) for version in versions]
