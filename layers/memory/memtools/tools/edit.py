"""memory_edit: an edit of a persona document happens whole, or not at all."""

from dataclasses import replace as changed

from memtools.catalogue import arguments, replies
from memtools.domain import editing
from memtools.domain.document import ABSENT, FILES, Document, Target
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.errors import Conflict, NotFound, Unavailable
from memtools.ports import ConditionFailed
from memtools.retry import attempts
from memtools.tools.backend import Backend


def memory_edit(backend: Backend, scope: Scope, given: arguments.Edit) -> replies.Edited:
    """Apply the edit to the fresh document; a lost race is run again on what then stands there.

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
            editing.require_fitting(text, backend.document_limit, before=current.text)
            wanted = changed(current, text=text, edit=edit, writes=(write, *current.writes))
            stored = backend.personas.write(scope, wanted, found)
        except ConditionFailed:
            continue
        return _reply(stored, f"ok ({given.action} → {name})")
    raise Unavailable(f"Too many others write {name} at this moment; nothing was written. Send the edit again.")


def _fingerprint(given: arguments.Edit) -> str:
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


def _apply(text: str, given: arguments.Edit) -> str:
    wanted = given.text or ""
    if given.action == "add":
        return editing.add(text, wanted)
    if given.action == "remove":
        return editing.remove(text, wanted)
    return editing.replace(text, wanted, given.with_ or "")


def _unwritten(document: Document) -> replies.Edited:
    return _reply(document, f"ok (already so in {document.name}, nothing written)")


def _reply(document: Document, message: str) -> replies.Edited:
    return replies.Edited(message=f"{message}; loads next session", version=document.version, text=document.text)
