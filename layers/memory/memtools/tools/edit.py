"""memory_edit: an edit of a persona document happens whole, or not at all."""

from dataclasses import replace as changed

from memtools.catalogue import arguments, replies
from memtools.domain import editing
from memtools.domain.document import ABSENT, FILES, Document, Target
from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.errors import Conflict, Unavailable
from memtools.ports import Raced
from memtools.retry import attempts
from memtools.tools.memory import Memory


def memory_edit(memory: Memory, scope: Scope, given: arguments.Edit) -> replies.Edited:
    """Apply the edit to the fresh document; a lost race is run again on what then stands there.

    The same edit sent twice in a row is one edit: a retry must not apply ``a`` to ``aa`` a second time. Whoever means
    it twice says so by ``version``.
    """
    name = FILES[Target(given.target)]
    write = memory.stamp().write
    edit = digest(given.action, given.text or "", given.with_ or "", "" if given.with_ is None else "with")
    for _ in attempts():
        found = memory.personas.read(scope, [name]).get(name)
        current = found or Document(name=name, text="")
        if _is_done(current, given, edit):
            return _reply(current, f"ok (already in {name}, nothing written)")
        _require_version(current, given.version)
        text = _apply(current.text, given)
        if text == current.text:
            return _reply(current, f"ok (already in {name}, nothing written)")
        editing.require_fitting(text, memory.document_limit, before=current.text)
        wanted = changed(current, text=text, edit=_fingerprint(edit, given.version), writes=(write, *current.writes))
        try:
            return _reply(memory.personas.write(scope, wanted, found), f"ok ({given.action} → {name})")
        except Raced:
            continue
    raise Unavailable(f"Too many others write {name} at this moment; nothing was written. Send the edit again.")


def _fingerprint(edit: str, version: str | None) -> str:
    return f"{edit}:{version or ''}"


def _is_done(current: Document, given: arguments.Edit, edit: str) -> bool:
    """Whether the document is what this very call, sent before, made of it."""
    return current.edit == _fingerprint(edit, given.version)


def _require_version(current: Document, version: str | None) -> None:
    if version is not None and version != current.version:
        raise Conflict(
            f"{current.name} has changed since version {version}; nothing was written. Its current text and version are"
            " in `details`: make the edit on them.",
            version=current.version,
            text=current.text,
        )


def _apply(text: str, given: arguments.Edit) -> str:
    wanted = given.text or ""
    match given.action:
        case "add":
            return editing.add(text, wanted)
        case "replace":
            return editing.replace(text, wanted, given.with_ or "")
        case "remove":
            return editing.remove(text, wanted)


def _reply(document: Document, message: str) -> replies.Edited:
    return replies.Edited(
        message=f"{message}; loads next session", version=document.version or ABSENT, text=document.text
    )
