"""memory_read: returns persona documents, always complete."""

from typing import Annotated

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.document import ABSENT, FILES, SOUL, Target, compose
from memtools.domain.scope import Scope
from memtools.tools.tool import Arguments, Reply, Tool


class Read(Arguments):
    target: Annotated[Target, Field(strict=False)] = Field(
        Target.SOUL,
        description="`soul`: all persona documents together, as loaded at the start of a conversation. `self`: only"
        " MEMORY.md, verbatim. `user`: only USER.md, verbatim.",
    )


class DocumentText(Reply):
    too_large = (
        "Read `self` and `user` separately. If you already did, the document must become shorter: remove entries"
        " that are no longer needed."
    )

    text: str
    version: str = Field(description="Changes whenever the text changes; `none` if the document does not exist yet.")
    found: list[str] = Field(description="The files that exist.")


def run(backend: Backend, scope: Scope, arguments: Read) -> DocumentText:
    """The soul, composed of all documents, or one document verbatim."""
    if arguments.target is Target.SOUL:
        text, version, found = compose(backend.personas.read(scope, SOUL))
        return DocumentText(text=text, version=version, found=found)
    name = FILES[arguments.target]
    document = backend.personas.read(scope, [name]).get(name)
    if document is None:
        return DocumentText(text="", version=ABSENT, found=[])
    return DocumentText(text=document.text, version=document.version, found=[name])


TOOL = Tool(
    name="memory_read",
    title="Read persona documents",
    function="search",
    description="Read the persona documents. Call it at the start of a conversation (`soul`), or before an edit to see"
    " the exact text and its version (`self` or `user`). It always returns the complete text. It changes nothing.",
    arguments=Read,
    reply=DocumentText,
    run=run,
)
