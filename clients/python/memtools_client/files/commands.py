"""The commands of Anthropic's memory tool over documents and notes, with the words its SDK has for what happens."""

import random
import time
from collections.abc import Callable
from typing import Final

from memtools_client.client import MemoryClient
from memtools_client.errors import Unavailable
from memtools_client.files.documents import Documents
from memtools_client.files.listing import listing
from memtools_client.files.notes import Notes
from memtools_client.files.paths import ROOT, parsed, told
from memtools_client.files.store import ConditionFailed, File, Path, Refused, Store
from memtools_client.files.text import MOST_LINES, inserted, numbered, replaced

_ATTEMPTS: Final = 12
_LONGEST_PAUSE: Final = 0.4


class MemoryFiles:
    """Files of one user. Each command raises Refused or a MemoryToolError, both with a message for the model.

    Without ``notes`` there are the two documents and nothing else.
    """

    def __init__(self, client: MemoryClient, notes: Notes | None = None) -> None:
        self._documents = Documents(client)
        self._notes = notes

    def view(self, path: object, view_range: object = None) -> str:
        """A file with numbered lines, or a folder."""
        where = parsed(path)
        file = self._read(where)
        if file is None:
            return listing(told(where), self._folder(where), where)
        if file.text.count("\n") >= MOST_LINES:
            raise Refused(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
        return f"Here's the content of {path} with line numbers:\n{numbered(file.text, *_range(view_range))}"

    def create(self, path: object, text: object) -> str:
        """A new file; one that is there is never replaced."""
        where = parsed(path)
        store = self._writable(where)
        if self._read(where) is not None or self._below(where):
            raise Refused(f"File {path} already exists")
        for end in range(1, len(where)):
            if self._read(where[:end]) is not None:
                raise Refused(f"The path {told(where[:end])} is not a directory.")
        try:
            store.write(where, _text(text, "file_text"), None)
        except ConditionFailed:
            raise Refused(f"File {path} already exists") from None
        return f"File created successfully at: {path}"

    def str_replace(self, path: object, old: object, new: object = None) -> str:
        """The one occurrence of ``old`` replaced; without ``new`` it is deleted."""
        snippet = ""

        def change(text: str) -> str:
            nonlocal snippet
            with_ = "" if new is None else _text(new, "new_str")
            changed, snippet = replaced(text, _text(old, "old_str"), with_, path=str(path))
            return changed

        self._change(path, change)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, path: object, line: object, text: object) -> str:
        """Lines after line ``line``."""
        self._change(path, lambda before: inserted(before, line, _text(text, "insert_text")))
        return f"The file {path} has been edited."

    def delete(self, path: object) -> str:
        """A file, or a folder with all in it."""
        where = parsed(path)
        if not where:
            raise Refused(f"Cannot delete the {ROOT} directory itself")
        files = [where] if self._read(where) is not None else list(self._below(where))
        if not files:
            raise Refused(f"The path {path} does not exist")
        for one in files:
            self._delete(one)
        return f"Successfully deleted {path}"

    def rename(self, old_path: object, new_path: object) -> str:
        """A note, or a folder of notes, under another name. All copies are there before an original goes."""
        old, new = parsed(old_path), parsed(new_path)
        if not old:
            raise Refused(f"Cannot rename the {ROOT} directory itself")
        if self._read(new) is not None or not new or self._below(new):
            raise Refused(f"The destination {new_path} already exists")
        if any(Documents.has(one[:1]) for one in (old, new)):
            raise Refused("MEMORY.md and USER.md keep their names; copy what you need into another file instead.")
        if new[: len(old)] == old:
            raise Refused(f"{old_path} cannot be moved into itself")
        files = [old] if self._read(old) is not None else list(self._below(old))
        if not files:
            raise Refused(f"The path {old_path} does not exist")
        self._move({one: (*new, *one[len(old) :]) for one in files})
        return f"Successfully renamed {old_path} to {new_path}"

    def _move(self, moves: dict[Path, Path]) -> None:
        copied: list[Path] = []
        try:
            for source, target in moves.items():
                if file := self._read(source):
                    self._writable(target).write(target, file.text, None)
                    copied.append(target)
        except (ConditionFailed, Refused, Unavailable) as error:
            for target in copied:
                self._delete(target)
            if isinstance(error, ConditionFailed):
                raise Refused("Somebody else made the destination meanwhile; nothing was renamed.") from None
            raise
        for source in moves:
            self._delete(source)

    def _change(self, path: object, change: Callable[[str], str]) -> None:
        """The file changed; where somebody else was faster, on what then stands there."""
        where = parsed(path)
        for number in range(_ATTEMPTS):
            file = self._existing(where)
            try:
                self._writable(where).write(where, change(file.text), file)
            except ConditionFailed:
                _pause(number)
            else:
                return
        raise _busy(where)

    def _delete(self, where: Path) -> None:
        for number in range(_ATTEMPTS):
            file = self._read(where)
            if file is None:
                return
            try:
                self._writable(where).delete(where, file)
            except ConditionFailed:
                _pause(number)
            else:
                return
        raise _busy(where)

    def _existing(self, where: Path) -> File:
        file = self._read(where)
        if file is not None:
            return file
        if not where or self._below(where):
            raise Refused(f"The path {told(where)} is not a file.")
        raise Refused(f"The path {told(where)} does not exist. Please provide a valid path.")

    def _read(self, where: Path) -> File | None:
        store = self._store(where)
        return store.read(where) if store and where else None

    def _folder(self, where: Path) -> dict[Path, int]:
        found = self._below(where)
        if where and not found:
            raise Refused(f"The path {told(where)} does not exist. Please provide a valid path.")
        return found

    def _below(self, where: Path) -> dict[Path, int]:
        notes = self._notes.below(where) if self._notes and not Documents.has(where) else {}
        return {**self._documents.below(where), **notes}

    def _store(self, where: Path) -> Store | None:
        return self._documents if Documents.has(where) else self._notes

    def _writable(self, where: Path) -> Store:
        if not where:
            raise Refused(f"The path {ROOT} is not a file.")
        if len(where) > 1 and Documents.has(where[:1]):
            raise Refused(f"The path {told(where[:1])} is not a directory.")
        store = self._store(where)
        if store is None:
            raise Refused(f"There are two files, {ROOT}/MEMORY.md and {ROOT}/USER.md: {told(where)} is neither.")
        return store


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Refused(f"`{name}` is missing.")
    return value


def _range(given: object) -> tuple[int, int]:
    match given:
        case None:
            return 1, -1
        case [int(first), int(last)]:
            return first, last
        case _:
            raise Refused(f"Invalid `view_range` parameter: {given}. It should be two line numbers.")


def _pause(number: int) -> None:
    time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.02 * 2**number)))  # noqa: S311 - no secret


def _busy(where: Path) -> Unavailable:
    return Unavailable(f"Too many others write {told(where)} at this moment; nothing was written. Send it again.")
