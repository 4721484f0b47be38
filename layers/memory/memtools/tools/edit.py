"""memory_edit: edits a persona document, completely or not at all."""

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
    action: Literal["add", "replace", "remove", "undo"] = Field(
        description="`add` appends `text` as one entry. `replace` replaces `text` with `with`. `remove` deletes"
        " `text`. `undo` restores the document to its state before the last change.",
    )
    text: Text | None = Field(
        None,
        description="For `add`: the new entry. For `replace` and `remove`: the exact text to find, which must occur"
        " exactly once. Copy it; patterns do not work.",
    )
    with_: Text | None = Field(None, alias="with", description="For `replace`: the new text, used verbatim.")
    target: Literal["self", "user"] = Field(
        "self", description="`self`: MEMORY.md, your own notes. `user`: USER.md, what you know about the user."
    )
    version: Text | None = Field(
        None,
        description="The version that memory_read or memory_edit returned. If the document has changed since, the edit"
        " is refused.",
    )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.action == "undo" and self.text is not None:
            raise ValueError("`undo` does not take `text`: it restores the whole document")
        if self.action != "undo" and not self.text:
            raise ValueError(f"`text` is missing or empty; `{self.action}` needs it")
        if self.action == "replace" and self.with_ is None:
            raise ValueError("`with` is missing; `replace` needs the new text. To delete text, use `remove`")
        if self.action != "replace" and self.with_ is not None:
            raise ValueError(f"`with` is only for `replace`, not for `{self.action}`")
        return self


class Edited(Reply):
    changes = True

    message: str
    changed: bool = Field(description="False if the document was already like this and nothing was written.")
    version: str = Field(description="The document's version after this edit.")
    text: str = Field(description="The whole document after this edit.")


def run(backend: Backend, scope: Scope, arguments: Edit) -> Edited:
    """Apply the edit to the current document; if another write comes first, apply it to the new version.

    The same edit sent twice in a row is one edit: a retry must not replace ``a`` with ``aa`` a second time, or undo an
    undo. A caller who wants it twice passes ``version``.
    """
    name = FILES[Target(arguments.target)]
    write = backend.stamp().write
    edit = _fingerprint(arguments)
    for _ in attempts():
        found = backend.personas.read(scope, [name]).get(name)
        current = found or Document(name=name, text="")
        if current.edit == edit:
            return _unwritten(current)
        _require_version(current, arguments.version)
        try:
            text = _previous(backend, scope, current) if arguments.action == "undo" else _apply(current.text, arguments)
            if text == current.text:
                return _unwritten(current)
            editing.require_within_limit(text, backend.document_limit, current=current.text)
            wanted = changed(current, text=text, edit=edit, writes=(write, *current.writes))
            stored = backend.personas.write(scope, wanted, found)
        except ConditionFailed:
            continue
        return _reply(stored, f"ok ({arguments.action} → {name})", changed=True)
    raise Unavailable(f"Too many other calls are writing {name} right now. Nothing was written. Send the edit again.")


def _fingerprint(arguments: Edit) -> str:
    """A short text that identifies the edit: its action and a digest of its arguments."""
    parts = (arguments.text, arguments.with_, arguments.version)
    present = "".join(str(int(part is not None)) for part in parts)
    return f"{arguments.action}:{digest(present, *(part for part in parts if part is not None))}"


def _require_version(current: Document, version: str | None) -> None:
    if version is not None and version != current.version:
        raise Conflict(
            f"{current.name} has changed since version {version}. Nothing was written. Base the edit on its current"
            " text and version, which are in `details`.",
            version=current.version,
            text=current.text,
        )


def _previous(backend: Backend, scope: Scope, current: Document) -> str:
    """The text before the current version; empty if that was the first."""
    newest = backend.personas.versions(scope, current.name, 2)
    if newest and newest[0].version != current.version:
        raise ConditionFailed
    if len(newest) > 1:
        return newest[1].text
    if current.replaces == ABSENT:
        return ""
    raise NotFound(f"No earlier version of {current.name} is kept, so there is nothing to undo.")


def _apply(text: str, arguments: Edit) -> str:
    wanted = arguments.text or ""
    if arguments.action == "add":
        return editing.add(text, wanted)
    if arguments.action == "remove":
        return editing.remove(text, wanted)
    return editing.replace(text, wanted, arguments.with_ or "")


def _unwritten(document: Document) -> Edited:
    return _reply(document, f"ok (no change in {document.name}, nothing written)", changed=False)


def _reply(document: Document, message: str, *, changed: bool) -> Edited:
    message = f"{message}; loads next session"
    return Edited(message=message, changed=changed, version=document.version, text=document.text)


TOOL = Tool(
    name="memory_edit",
    function="edit",
    description="Edit your notes (MEMORY.md, target `self`) or what you know about the user (USER.md, target `user`):"
    " the few things that should be present in every conversation. The edit happens whole, or is refused with the"
    " reason and the current text. The text to change must occur exactly once; nothing is guessed. The edit is stored"
    " at once and loads with the next session. For facts that a search should find, use memory_add instead.",
    arguments=Edit,
    reply=Edited,
    run=run,
)
