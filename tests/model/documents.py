"""One persona document in plain Python: what each edit has to answer, from the design alone."""

import re
from dataclasses import dataclass, field

from tests.model.answers import CONFLICT, NOT_FOUND, Answer, Refused

LIMIT = 16_000


def entry(text: str) -> str:
    """An entry as the document has it: a bullet, which the text may bring along, and further lines below it."""
    return "- " + text.removeprefix("- ").replace("\n", "\n  ") + "\n"


def places(document: str, text: str) -> list[range]:
    """Where the text occurs, overlaps too."""
    starts = (start for start in range(len(document)) if document.startswith(text, start))
    return [range(start, start + len(text)) for start in starts]


@dataclass(frozen=True)
class Edit:
    action: str
    text: str | None = None
    new: str | None = None


@dataclass
class Document:
    text: str = ""
    earlier: list[str] = field(default_factory=list)
    """What ``undo`` goes back to, step by step; the next one is the last."""
    written: list[tuple[str, str]] = field(default_factory=list)
    """What made each version, and its text; the current one is the last."""
    made_by: Edit | None = None
    """The edit that made the current version."""

    def entries(self) -> list[str]:
        """The entries without their bullets, to the letter."""
        return ["".join(lines).removesuffix("\n") for lines in re.findall(r"(?m)^- (.*\n(?:  .*\n)*)", self.text)]

    def answers(self, edit: Edit, *, stale: bool, exact: bool) -> tuple[Answer, ...]:
        """What the edit may answer.

        ``exact`` if it names a version, ``stale`` if that is no longer the current one.
        """
        own = self._outcome(edit, exact=exact)
        same: Answer = {"text": self.text}
        if edit == self.made_by and (stale or edit.action != "undo"):
            # Whether it is a retry or meant once more, the state cannot tell.
            return (same, CONFLICT if stale else own)
        if stale:
            return (CONFLICT, same) if own == same else (Refused("conflict", {"text": self.text}),)
        return (own,)

    def _says(self, old: str, new: str) -> bool:
        """Whether the old text is in the new one and nowhere else: it has been replaced already."""
        there = places(self.text, new)
        left = [one for one in places(self.text, old) if not any(one.start in two and one[-1] in two for two in there)]
        return old in self.text and not left

    def _outcome(self, edit: Edit, *, exact: bool) -> Answer:
        if edit.action == "undo":
            return {"text": self.earlier[-1]} if self.earlier else NOT_FOUND
        text = edit.text or ""
        if edit.action == "add":
            known = f"\n{entry(text)}- " in f"\n{self.text}- "
            after = self.text if known else self.text + entry(text)
        elif edit.action == "replace" and not exact and self._says(text, edit.new or ""):
            after = self.text
        elif (found := len(places(self.text, text))) != 1:
            return Refused("ambiguous") if found else NOT_FOUND
        else:
            after = self.text.replace(text, edit.new or "")
        if edit.action == "remove":
            after = "".join(line for line in after.splitlines(keepends=True) if line.strip() != "-")
        return Refused("too_large", {"limit": LIMIT}) if len(after) > LIMIT else {"text": after}

    def write(self, edit: Edit, text: str) -> None:
        """The edit made a new version."""
        if edit.action == "undo":
            self.earlier.pop()
        else:
            self.earlier.append(self.text)
        self.text = text
        self.written.append((edit.action, text))
        self.made_by = edit
