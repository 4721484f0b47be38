"""memory_read: persona documents, whole."""

from memtools.catalogue import arguments, replies
from memtools.domain.document import ABSENT, FILES, SOUL, Target, compose
from memtools.domain.scope import Scope
from memtools.tools.backend import Backend


def memory_read(backend: Backend, scope: Scope, given: arguments.Read) -> replies.Document:
    """The soul composed of all documents, or one document to the letter."""
    if given.target is Target.SOUL:
        text, version, found = compose(backend.personas.read(scope, SOUL))
        return replies.Document(text=text, version=version, found=found)
    name = FILES[given.target]
    document = backend.personas.read(scope, [name]).get(name)
    if document is None:
        return replies.Document(text="", version=ABSENT, found=[])
    return replies.Document(text=document.text, version=document.version, found=[name])
