"""memory_edit: edits a persona document, completely or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as changed
from typing import Literal, Self

from pydantic import Field, model_validator

from memtools.backend import Backend
from memtools.domain import editing
from memtools.domain.document import FILES, Document, Target
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.domain.trace import Stamp
from memtools.domain.undoing import UNDO, change_of
from memtools.domain.writes import KEPT, with_name, writes_since
from memtools.errors import Conflict, Unavailable, Uncertain
from memtools.ports import ConditionFailed
from memtools.retry import attempts
from memtools.tools.tool import Arguments, Reply, Text, Tool
from memtools.tools.undoing import Undone, undone, undone_by


class Edit(Arguments):
    action: Literal["add", "replace", "remove", "undo"] = Field(
        description="`add` appends `text` as one entry. `replace` replaces `text` with `with`. `remove` deletes"
        " `text`. `undo` takes back the last change; called again, the change before it, and so on.",
    )
    text: Text | None = Field(
        None,
        description="For `add`: the new entry. For `replace` and `remove`: the exact text to find, which must occur"
        " exactly once. Copy it; patterns do not work.",
    )
    with_: Text | None = Field(
        None, alias="with", description="For `replace`: the new text, used verbatim except for line ends."
    )
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
    undone: Undone | None = Field(None, description="For `undo`: what it took back.")


def run(backend: Backend, scope: Scope, arguments: Edit) -> Edited:
    """Apply the edit to the current document; if another write comes first, apply it to the new version.

    The same edit sent twice in a row is one edit, except for an undo. A caller who wants it twice passes ``version``.
    """
    name = FILES[Target(arguments.target)]
    stamp = backend.stamp()
    for _ in attempts():
        found = backend.personas.read(scope, [name]).get(name)
        current = found or Document(name=name, text="")
        if made := _made_before(backend, scope, current, arguments, stamp):
            return _written(backend, scope, arguments, made)
        if current.edit == _fingerprint(arguments):
            return _unwritten(current)
        _require_version(current, arguments.version)
        wanted = _edited(backend, scope, current, arguments)
        if wanted is None:
            return _unwritten(current)
        editing.require_within_limit(wanted.text, backend.document_limit, current=current.text)
        wanted = changed(wanted, writes=with_name(stamp.write, current.writes))
        try:
            with _told_apart(arguments, stamp):
                stored = backend.personas.write(scope, wanted, found)
        except ConditionFailed:
            continue
        return _written(backend, scope, arguments, stored, current)
    raise Unavailable(f"Too many other calls are writing {name} right now. Send the edit again.")


def _fingerprint(arguments: Edit) -> str:
    """A short text that identifies the edit: its action and a digest of its arguments."""
    parts = (arguments.text, arguments.with_, arguments.version)
    present = "".join(str(int(part is not None)) for part in parts)
    return f"{arguments.action}:{digest(present, *(part for part in parts if part is not None))}"


def _made_before(backend: Backend, scope: Scope, current: Document, arguments: Edit, stamp: Stamp) -> Document | None:
    """The version that this same call made when it was sent before, if it did; the current one if that is not kept.

    An undo with a version is known without a name: it replaced that version.
    """
    since = writes_since(stamp.write, current.writes)
    if since:
        for limit in (since + 1, since + 1 + KEPT):  # others may write before the versions are listed
            for one in backend.personas.versions(scope, current.name, limit):
                if one.writes[:1] == (stamp.write,):
                    return one
        return current
    if since is None and arguments.action == UNDO and arguments.version is not None:
        return current if (change_of(current), current.replaces) == (UNDO, arguments.version) else None
    return None if since is None else current


def _require_version(current: Document, version: str | None) -> None:
    if version is not None and version != current.version:
        raise Conflict(
            f"{current.name} has changed since version {version}. Nothing was written. Base the edit on its current"
            " text and version, which are in `details`.",
            version=current.version,
            text=current.text,
        )


def _edited(backend: Backend, scope: Scope, current: Document, arguments: Edit) -> Document | None:
    """The document after the edit; None if the edit changes nothing."""
    if arguments.action == UNDO:
        return undone(backend, scope, current)
    text = _apply(current.text, arguments)
    return None if text == current.text else changed(current, text=text, edit=_fingerprint(arguments))


def _apply(text: str, arguments: Edit) -> str:
    old, new = arguments.text or "", arguments.with_ or ""
    if arguments.action == "add":
        return editing.add(text, old)
    if arguments.action == "remove":
        return editing.remove(text, old)
    if arguments.version is None and editing.is_replaced(text, old, new):
        return text
    return editing.replace(text, old, new)


@contextmanager
def _told_apart(arguments: Edit, stamp: Stamp) -> Iterator[None]:
    """Uncertain instead of Unavailable if the call, sent again, could be a second undo."""
    try:
        yield
    except Unavailable as error:
        if arguments.action != UNDO or stamp.keyed or arguments.version is not None:
            raise
        raise Uncertain(
            "The memory store did not answer, so the change was taken back, or not. Read the document first, and pass"
            " its `version` with the next undo. The same call sent again may take back another change."
        ) from error.__cause__


def _unwritten(document: Document) -> Edited:
    return _reply(document, f"ok (no change in {document.name}, nothing written)", changed=False)


def _written(
    backend: Backend, scope: Scope, arguments: Edit, document: Document, replaced: Document | None = None
) -> Edited:
    """The reply of the call that made this version."""
    message = f"ok ({arguments.action} → {document.name})"
    undone = undone_by(backend, scope, document, replaced) if arguments.action == UNDO else None
    if undone:
        message = f"ok (undo → {document.name}: took back `{undone.change}`, which had made version {undone.version})"
    return _reply(document, message, changed=True, undone=undone)


def _reply(document: Document, message: str, *, changed: bool, undone: Undone | None = None) -> Edited:
    message = f"{message}; loads next session"
    return Edited(message=message, changed=changed, version=document.version, text=document.text, undone=undone)


TOOL = Tool(
    name="memory_edit",
    title="Edit a persona document",
    repeatable=False,
    function="edit",
    description="Edit your notes (MEMORY.md, target `self`) or what you know about the user (USER.md, target `user`):"
    " the few things that should be present in every conversation. The edit happens whole, or is refused with the"
    " reason and the current text. The text to change must occur exactly once; nothing is guessed. The edit is stored"
    " at once and loads with the next session. For facts that a search should find, use memory_add instead.",
    arguments=Edit,
    reply=Edited,
    run=run,
)
