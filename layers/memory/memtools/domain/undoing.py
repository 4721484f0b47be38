"""What an undo of a document takes back, and what it goes back to.

A version names the version that it replaced. A version that an undo made shows an earlier state, so it remembers the
change that made that state, which is what the next undo takes back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memtools.domain.document import ABSENT, Document

UNDO = "undo"
OUTSIDE = "outside"
_UNKNOWN = "?"
_PARTS = 3


@dataclass(frozen=True, slots=True)
class Step:
    """A change: it made ``version`` out of ``before``.

    ``before`` is ABSENT if there was no document, and None if a version does not name the one that it replaced, because
    somebody wrote it past the tools.
    """

    change: str
    version: str
    before: str | None


def change_of(document: Document) -> str:
    """The action that made this version."""
    return document.edit.partition(":")[0] or OUTSIDE


def last_step(document: Document) -> Step | None:
    """The change that an undo of this version takes back; None if there is none left."""
    action, _, rest = document.edit.partition(":")
    if action != UNDO:
        return None if document.version == ABSENT else Step(change_of(document), document.version, document.replaces)
    parts = rest.split(" ")
    if len(parts) != _PARTS:
        return None
    return Step(parts[0], parts[1], None if parts[2] == _UNKNOWN else parts[2])


def edit_of(step: Step | None) -> str:
    """The ``edit`` of a version that an undo made, if ``step`` made the state that it shows."""
    return f"{UNDO}:" + (f"{step.change} {step.version} {step.before or _UNKNOWN}" if step else "")


def with_versions(edit: str, names: Mapping[str, str]) -> str:
    """The same ``edit`` of a document whose versions have other names."""
    step = last_step(Document(name="", text="", edit=edit))
    if step is None:
        return edit
    before = step.before and names.get(step.before, step.before)
    return edit_of(replace(step, version=names.get(step.version, step.version), before=before))
