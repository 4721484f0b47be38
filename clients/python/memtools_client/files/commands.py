"""The commands of Anthropic's memory tool over documents and notes, answered in the words of its SDK."""

from collections.abc import Callable

from memtools_client.client import MemoryClient
from memtools_client.errors import Unavailable
from memtools_client.files.documents import Documents
from memtools_client.files.listing import listing
from memtools_client.files.notes import Notes
from memtools_client.files.paths import ROOT, parse, shown
from memtools_client.files.store import ConditionFailed, File, Path, Refused, Store
from memtools_client.files.text import MOST_LINES, inserted, numbered, replaced
from memtools_client.retries import RACES


class MemoryFiles:
    """Files of one user. Each command raises Refused or a MemoryToolError, both with a message for the model.

    Without ``notes`` there are the two documents and nothing else.
    """

    def __init__(self, client: MemoryClient, notes: Notes | None = None) -> None:
        self._documents = Documents(client)
        self._notes = notes

    def view(self, path: object, view_range: object = None) -> str:
        """A file with numbered lines, or the list of a folder."""
        where = parse(path)
        file = self._read(where)
        if file is None:
            files = self._below(where)
            if where and not files:
                raise Refused(f"The path {shown(where)} does not exist. Please provide a valid path.")
            return listing(shown(where), files, where)
        if file.text.count("\n") >= MOST_LINES:
            raise Refused(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
        return f"Here's the content of {path} with line numbers:\n{numbered(file.text, *_range(view_range))}"

    def create(self, path: object, text: object) -> str:
        """Create a file; an existing one is never replaced."""
        where = parse(path)
        store = self._writable(where)
        if self._read(where) is not None or self._below(where):
            raise Refused(f"File {path} already exists")
        for end in range(1, len(where)):
            if self._read(where[:end]) is not None:
                raise Refused(f"The path {shown(where[:end])} is not a directory.")
        try:
            store.write(where, _text(text, "file_text"), None)
        except ConditionFailed:
            raise Refused(f"File {path} already exists") from None
        return f"File created successfully at: {path}"

    def str_replace(self, path: object, old: object, new: object = None) -> str:
        """Replace the one occurrence of ``old``; without ``new`` delete it."""
        new_text = "" if new is None else _text(new, "new_str")
        snippet = ""

        def edit(text: str) -> str:
            nonlocal snippet
            edited, snippet = replaced(text, _text(old, "old_str"), new_text, path=str(path))
            return edited

        self._edit(parse(path), edit)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, path: object, line: object, text: object) -> str:
        """Insert lines after line ``line``; 0 is the top of the file."""
        self._edit(parse(path), lambda before: inserted(before, line, _text(text, "insert_text")))
        return f"The file {path} has been edited."

    def delete(self, path: object) -> str:
        """Delete a file, or a folder with all its files."""
        where = parse(path)
        if not where:
            raise Refused(f"Cannot delete the {ROOT} directory itself")
        for file in self._files_at(where, path):
            self._delete(file)
        return f"Successfully deleted {path}"

    def rename(self, old_path: object, new_path: object) -> str:
        """Rename a note, or a folder of notes. Nothing is deleted before all of it is copied."""
        old, new = parse(old_path), parse(new_path)
        if not old:
            raise Refused(f"Cannot rename the {ROOT} directory itself")
        if self._read(new) is not None or not new or self._below(new):
            raise Refused(f"The destination {new_path} already exists")
        if any(Documents.has(path[:1]) for path in (old, new)):
            raise Refused("MEMORY.md and USER.md keep their names; copy what you need into another file instead.")
        if new[: len(old)] == old:
            raise Refused(f"{old_path} cannot be moved into itself")
        self._move({path: (*new, *path[len(old) :]) for path in self._files_at(old, old_path)})
        return f"Successfully renamed {old_path} to {new_path}"

    def _move(self, moves: dict[Path, Path]) -> None:
        copies: list[Path] = []
        try:
            for source, target in moves.items():
                if file := self._read(source):
                    self._writable(target).write(target, file.text, None)
                    copies.append(target)
        except (ConditionFailed, Refused, Unavailable) as error:
            for target in copies:
                self._delete(target)
            if isinstance(error, ConditionFailed):
                raise Refused("Somebody else created the destination meanwhile; nothing was renamed.") from None
            raise
        for source in moves:
            self._delete(source)

    def _edit(self, where: Path, edit: Callable[[str], str]) -> None:
        """Edit the file; where somebody else wrote meanwhile, edit what they wrote."""

        def attempt() -> None:
            file = self._existing(where)
            self._writable(where).write(where, edit(file.text), file)

        _racing(where, attempt)

    def _delete(self, where: Path) -> None:
        def attempt() -> None:
            if file := self._read(where):
                self._writable(where).delete(where, file)

        _racing(where, attempt)

    def _existing(self, where: Path) -> File:
        file = self._read(where)
        if file is not None:
            return file
        if not where or self._below(where):
            raise Refused(f"The path {shown(where)} is not a file.")
        raise Refused(f"The path {shown(where)} does not exist. Please provide a valid path.")

    def _read(self, where: Path) -> File | None:
        store = self._store(where)
        return store.read(where) if store and where else None

    def _files_at(self, where: Path, path: object) -> list[Path]:
        """The file itself, or all files of the folder."""
        files = [where] if self._read(where) is not None else list(self._below(where))
        if not files:
            raise Refused(f"The path {path} does not exist")
        return files

    def _below(self, where: Path) -> dict[Path, int]:
        notes = self._notes.below(where) if self._notes and not Documents.has(where) else {}
        return {**self._documents.below(where), **notes}

    def _store(self, where: Path) -> Store | None:
        return self._documents if Documents.has(where) else self._notes

    def _writable(self, where: Path) -> Store:
        if not where:
            raise Refused(f"The path {ROOT} is not a file.")
        if len(where) > 1 and Documents.has(where[:1]):
            raise Refused(f"The path {shown(where[:1])} is not a directory.")
        store = self._store(where)
        if store is None:
            raise Refused(f"There are two files, {ROOT}/MEMORY.md and {ROOT}/USER.md: {shown(where)} is neither.")
        return store


def _racing(where: Path, attempt: Callable[[], None]) -> None:
    """Run the attempt, again while somebody else is faster."""
    try:
        RACES.run(attempt, on=ConditionFailed)
    except ConditionFailed:
        raise Unavailable(
            f"Too many others write {shown(where)} at this moment; nothing was written. Send it again."
        ) from None


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Refused(f"`{name}` is missing.")
    return value


def _range(view_range: object) -> tuple[int, int]:
    match view_range:
        case None:
            return 1, -1
        case [int(first), int(last)]:
            return first, last
        case _:
            raise Refused(f"Invalid `view_range` parameter: {view_range}. It should be two line numbers.")
