"""The receipt of an erasure: a file that says what was erased, correct even after several runs.

Entries are noted before they are deleted, and counted once they are gone. A run that finds such a note deletes its
entries again, which does no harm, and counts them.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtools.adapters.archive.port import KINDS, Archive, Entry
from memtools.domain.scope import Scope
from memtools.domain.text import digest

from memtools_cli.failures import BadUsage, Refused
from memtools_cli.files import exists, read_found_text, replace_file


@dataclass(slots=True, kw_only=True)
class Receipt:
    """The state of an erasure, written to its file at every step."""

    agent: str
    user: str
    place: Mapping[str, str]
    remaining: str
    begun: str
    finished: str | None = None
    verified: bool = False
    erased: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    pending: list[Entry] = field(default_factory=list)
    file: Path = Path()

    def note(self, entries: Sequence[Entry]) -> None:
        """Write down what is deleted next."""
        self.pending = list(entries)
        self._write()

    def count(self) -> None:
        """Count what was noted: it is gone."""
        for kind, number in Counter(one.kind for one in self.pending).items():
            self.erased[kind] += number
        self.pending = []
        self._write()

    def finish(self) -> None:
        """Write down that nothing is left, as another read has shown."""
        self.verified, self.finished = True, _now()
        self._write()

    def drop(self) -> None:
        """Remove the file: there was nothing to erase."""
        self.file.unlink(missing_ok=True)

    @property
    def is_unused(self) -> bool:
        """Whether nothing was noted or counted yet."""
        return not self.pending and not any(self.erased.values())

    def as_dict(self) -> dict[str, Any]:
        """For people and programs."""
        return {name: value for name, value in asdict(self).items() if name not in ("file", "pending")}

    def _write(self) -> None:
        pending = [[one.kind, one.key, one.version] for one in self.pending]
        values = {**self.as_dict(), **({"pending": pending} if pending else {})}
        try:
            replace_file(self.file, json.dumps(values, ensure_ascii=False, indent=2) + "\n")
        except OSError as error:
            raise BadUsage(f"Cannot write the receipt {self.file}: {error.strerror}.") from None


def receipt_of(archive: Archive, scope: Scope, file: Path | None) -> Receipt:
    """The receipt in ``file``, or the unfinished one in this folder, to continue; else a new one, written at once.

    Raises Failure where the file is the receipt of a finished erasure, or of another scope.
    """
    if file is None:
        name = f"memtools-erased-{digest(scope.key, *archive.place.values())[:12]}"
        unfinished = [one for one in sorted(Path().glob(f"{name}-*.json")) if _read(one).finished is None]
        file = unfinished[0] if unfinished else Path(f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}Z.json")
    if not exists(file):
        new = Receipt(
            agent=scope.agent, user=scope.user, place=archive.place, remaining=archive.remaining, begun=_now()
        )
        new.file = file
        new.note([])
        return new
    known = _read(file)
    if (known.agent, known.user, known.place) != (scope.agent, scope.user, archive.place):
        raise Refused(f"{file} is the receipt of another memory's erasure. Name another file.")
    if known.finished:
        raise Refused(f"{file} is the receipt of an erasure that is finished. Name another file.")
    return known


def _read(file: Path) -> Receipt:
    try:
        values = json.loads(read_found_text(file))
        pending = [Entry(*one) for one in values.pop("pending", [])]
        return Receipt(**values, pending=pending, file=file)
    except (ValueError, TypeError, AttributeError):
        raise Refused(f"{file} is not a receipt. Name another file.") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
