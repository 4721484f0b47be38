"""All of one scope, deleted for good, batch by batch, with a receipt."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

from memtools.adapters.archive.port import Archive, Entry
from memtools.domain.scope import Scope

from memtools_cli.failures import Refused
from memtools_cli.output import Advance
from memtools_cli.receipt import Receipt

# Each pass after the first finds only what somebody has written meanwhile.
_PASSES: Final = 5


def counted(archive: Archive, scope: Scope) -> dict[str, int]:
    """How much the scope has, by kind."""
    return dict(Counter(one.kind for one in archive.entries_of(scope)))


def is_empty(archive: Archive, scope: Scope) -> bool:
    """Whether there is nothing to erase."""
    return next(archive.entries_of(scope), None) is None


def erase(archive: Archive, scope: Scope, receipt: Receipt, advance: Advance) -> None:
    """Delete all that the scope has, continuing an earlier run, and read again to verify that nothing is left.

    Raises Failure where new things keep coming.
    """
    if receipt.pending:
        _delete(archive, scope, receipt, receipt.pending, advance)
    for number in range(_PASSES):
        found = _pass(archive, scope, receipt, advance)
        if not found and number:
            receipt.finish()
            return
        archive.mark_erased(scope)
    raise Refused(
        "Somebody keeps writing to this memory: it was erased, and is not empty. Stop them, and run this again.",
        "conflict",
    )


def _pass(archive: Archive, scope: Scope, receipt: Receipt, advance: Advance) -> bool:
    """Delete what there is; whether there was anything."""
    rest = archive.entries_of(scope)
    found = False
    while entries := list(islice(rest, archive.batch)):
        found = True
        _delete(archive, scope, receipt, entries, advance)
    return found


def _delete(archive: Archive, scope: Scope, receipt: Receipt, entries: Sequence[Entry], advance: Advance) -> None:
    receipt.note(entries)
    archive.delete(scope, entries)
    receipt.count()
    advance(len(entries))
