"""memory_edit: an edit of a persona document happens whole, or not at all."""

from dataclasses import replace as changed
from typing import Literal, Self

from pydantic import Field, model_validator

from memtools.backend import Backend
from memtools.domain import editing
from memtools.domain.document import ABSENT, FILES, Document, Target
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed
from memtools.retry import attempts
from memtools.tools.tool import Arguments, Reply, Text, Tool


class Edit(Arguments):
    """Arguments of memory_edit."""

    action: Literal["add", "replace", "remove", "undo"] = Field(
        description="`add` appends `text` as one entry; `replace` swaps `text` for `with`; `remove` deletes `text`;"
        " `undo` puts back what the document was before its last change.",
    )
    text: Text | None = Field(
        None,
        description="For `add` the new entry. Else the exact text to find, which has to occur exactly once: copy it, no"
        " patterns.",
    )
    with_: Text | None = Field(
        None, alias="with", description="For `replace`: what stands there afterwards, to the letter."
    )
    target: Literal["self", "user"] = Field(
        "self", description="`self`: MEMORY.md, your own notes. `user`: USER.md, what you know of the user."
    )
    version: Text | None = Field(
        None,
        description="The version that memory_read or memory_edit returned, to refuse the edit if it has changed since.",
    )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.action == "undo" and self.text is not None:
            raise ValueError("`undo` takes no `text`: it puts back the whole document as it was before")
        if self.action != "undo" and not self.text:
            raise ValueError(f"`text` is missing or empty: `{self.action}` needs the text")
        if self.action == "replace" and self.with_ is None:
            raise ValueError("`with` is missing: `replace` needs the new text; to delete, use `remove`")
        if self.action != "replace" and self.with_ is not None:
            raise ValueError(f"`with` goes with `replace` only, not with `{self.action}`")
        return self


class Edited(Reply):
    """Reply of memory_edit."""

    changes = True

    message: str
    changed: bool = Field(description="False where the document said so already and nothing was written.")
    version: str = Field(description="The document's version after this edit.")
    text: str = Field(description="The whole document after this edit.")


def run(backend: Backend, scope: Scope, given: Edit) -> Edited:
    """Apply the edit to the fresh document; after a lost race, run it again on what is there then.

    The same edit sent twice in a row is one edit: a retry must not apply ``a`` to ``aa`` a second time, or undo an
    undo. Whoever means it twice says so by ``version``.
    """
    name = FILES[Target(given.target)]
    write = backend.stamp().write
    edit = _fingerprint(given)
    for _ in attempts():
        found = backend.personas.read(scope, [name]).get(name)
        current = found or Document(name=name, text="")
        if current.edit == edit:
            return _unwritten(current)
        _require_version(current, given.version)
        try:
            text = _previous(backend, scope, current) if given.action == "undo" else _apply(current.text, given)
            if text == current.text:
                return _unwritten(current)
            editing.require_within_limit(text, backend.document_limit, current=current.text)
            wanted = changed(current, text=text, edit=edit, writes=(write, *current.writes))
            stored = backend.personas.write(scope, wanted, found)
        except ConditionFailed:
            continue
        return _reply(stored, f"ok ({given.action} → {name})", changed=True)
    raise Unavailable(f"Too many others write {name} at this moment; nothing was written. Send the edit again.")


def _fingerprint(given: Edit) -> str:
    """The edit as a short text, the same for the same call, led by its action."""
    parts = (given.text, given.with_, given.version)
    present = "".join(str(int(part is not None)) for part in parts)
    return f"{given.action}:{digest(present, *(part for part in parts if part is not None))}"


def _require_version(current: Document, version: str | None) -> None:
    if version is not None and version != current.version:
        raise Conflict(
            f"{current.name} has changed since version {version}; nothing was written. Its current text and version are"
            " in `details`: make the edit on them.",
            version=current.version,
            text=current.text,
        )


def _previous(backend: Backend, scope: Scope, current: Document) -> str:
    """The text before the current version: nothing, where that one was the first."""
    newest = backend.personas.versions(scope, current.name, 2)
    if newest and newest[0].version != current.version:
        raise ConditionFailed
    if len(newest) > 1:
        return newest[1].text
    if current.replaces == ABSENT:
        return ""
    raise NotFound(f"Nothing is kept of what {current.name} was before, so there is nothing to undo.")


def _apply(text: str, given: Edit) -> str:
    wanted = given.text or ""
    if given.action == "add":
        return editing.add(text, wanted)
    if given.action == "remove":
        return editing.remove(text, wanted)
    return editing.replace(text, wanted, given.with_ or "")


def _unwritten(document: Document) -> Edited:
    return _reply(document, f"ok (already so in {document.name}, nothing written)", changed=False)


def _reply(document: Document, message: str, *, changed: bool) -> Edited:
    message = f"{message}; loads next session"
    return Edited(message=message, changed=changed, version=document.version, text=document.text)


TOOL = Tool(
    name="memory_edit",
    function="edit",
    description="Edit your notes (MEMORY.md, target `self`) or what you know of the user (USER.md, target `user`): the"
    " few things that should be present in every conversation. The edit happens whole or is refused with the reason and"
    " the current text; text that does not occur exactly once is never guessed at. It is stored at once and loads with"
    " the next session. Facts to be found by search belong in memory_add.",
    arguments=Edit,
    reply=Edited,
    run=run,
)
