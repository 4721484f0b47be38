"""All of one scope, deleted for good, batch by batch, with a receipt."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

from memtools.adapters.archive.erasing import BATCH, Entry, delete, entries_of, mark_erased
from memtools.adapters.archive.stores import Stores
from memtools.domain.scope import Scope

from memtools_cli.failures import Refused
from memtools_cli.output import Advance
from memtools_cli.receipt import Receipt

# Each pass after the first finds only what somebody has written meanwhile.
_PASSES: Final = 5


def counted(stores: Stores, scope: Scope) -> dict[str, int]:
    """How much the scope has, by kind."""
    return dict(Counter(one.kind for one in entries_of(stores, scope)))


def is_empty(stores: Stores, scope: Scope) -> bool:
    """Whether there is nothing to erase."""
    return next(entries_of(stores, scope), None) is None


def erase(stores: Stores, scope: Scope, receipt: Receipt, advance: Advance) -> None:
    """Delete all that the scope has, continuing an earlier run, and read again to verify that nothing is left.

    Raises Failure where new things keep coming.
    """
    if receipt.pending:
        _delete(stores, scope, receipt, receipt.pending, advance)
    for number in range(_PASSES):
        found = _pass(stores, scope, receipt, advance)
        if not found and number:
            receipt.finish()
            return
        mark_erased(stores, scope)
    raise Refused(
        "Somebody keeps writing to this memory: it was erased, and is not empty. Stop them, and run this again.",
        "conflict",
    )


def _pass(stores: Stores, scope: Scope, receipt: Receipt, advance: Advance) -> bool:
    """Delete what there is; whether there was anything."""
    rest = entries_of(stores, scope)
    found = False
    while entries := list(islice(rest, BATCH)):
        found = True
        _delete(stores, scope, receipt, entries, advance)
    return found


def _delete(stores: Stores, scope: Scope, receipt: Receipt, entries: Sequence[Entry], advance: Advance) -> None:
    receipt.note(entries)
    delete(stores, scope, entries)
    receipt.count()
    advance(len(entries))
