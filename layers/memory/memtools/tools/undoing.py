"""Undo in memory_edit: the document before its last change, and what that change was."""

from dataclasses import replace
from typing import Final

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.document import ABSENT, Document
from memtools.domain.scope import Scope
from memtools.domain.undoing import UNDO, change_of, edit_of, last_step
from memtools.errors import NotFound
from memtools.tools.tool import Part

# How far back the version before one is looked for that does not name it.
_LISTED: Final = 100


class Undone(Part):
    """What an undo took back."""

    change: str = Field(description="The change that was taken back; `outside` if no tool made it.")
    version: str = Field(description="The version that this change had made.")
    back_to: str = Field(description="The version whose text is back; `none` if there was no document before.")


def undone(backend: Backend, scope: Scope, current: Document) -> Document:
    """The document as it was before its last change that is not undone yet. Raises NotFound."""
    step = last_step(current)
    if step is None:
        raise NotFound(f"There is nothing to undo in {current.name}. Nothing was changed.")
    before = step.before or _version_before(backend, scope, current.name, step.version)
    if before == ABSENT:
        return replace(current, text="", edit=edit_of(None))
    earlier = before and backend.personas.version(scope, current.name, before)
    if not earlier:
        raise NotFound(f"No earlier version of {current.name} is kept, so nothing more can be undone.")
    return replace(current, text=earlier.text, edit=edit_of(last_step(earlier)))


def _version_before(backend: Backend, scope: Scope, name: str, version: str) -> str | None:
    """The version that this one replaced, by the order of all versions."""
    kept = [one.version for one in backend.personas.versions(scope, name, _LISTED)]
    return kept[kept.index(version) + 1] if version in kept[:-1] else None


def undone_by(backend: Backend, scope: Scope, made: Document, replaced: Document | None) -> Undone | None:
    """What the undo that made this version took back; ``replaced`` is the version before, if it is at hand.

    None if no undo made it, or if the version before is no longer kept.
    """
    if change_of(made) != UNDO or not made.replaces:
        return None
    replaced = replaced or backend.personas.version(scope, made.name, made.replaces)
    step, now = replaced and last_step(replaced), last_step(made)
    if not step:
        return None
    return Undone(change=step.change, version=step.version, back_to=now.version if now else ABSENT)
