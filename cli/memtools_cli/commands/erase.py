"""``erase``."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from memtools.adapters.archive.port import Archive
from memtools.domain.scope import Scope

from memtools_cli.erasing import counted, is_empty
from memtools_cli.erasing import erase as erase_scope
from memtools_cli.failures import BadUsage, Refused
from memtools_cli.options import MemoryOptions, OutputOptions, StoreOptions, flattened
from memtools_cli.output import bar, show, visible
from memtools_cli.receipt import receipt_of
from memtools_cli.stack import archive_of


def add_to(app: typer.Typer) -> None:
    """Add it."""
    app.command("erase")(flattened(erase))


def erase(
    *,
    memory: MemoryOptions,
    store: StoreOptions,
    output: OutputOptions,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    file: Annotated[
        Path | None, typer.Option("--receipt", help="The receipt's file; that of an unfinished run is continued.")
    ] = None,
) -> None:
    """Erase a whole memory for good, with its history and documents, and write a receipt."""
    scope, archive = memory.scope(), archive_of(store)
    if not yes:
        _confirm(archive, scope)
    receipt = receipt_of(archive, scope, file)
    if receipt.is_unused and is_empty(archive, scope):
        receipt.drop()
        raise Refused(
            f"There is nothing to erase: agent {scope.agent}, user {scope.user} has no memory here. Check the names.",
            "not_found",
        )
    with bar("Erasing") as advance:
        erase_scope(archive, scope, receipt, advance)
    result = {"message": f"Erased. The receipt is {receipt.file}.", "receipt": str(receipt.file)} | receipt.as_dict()
    show(result, as_json=output.json)


def _confirm(archive: Archive, scope: Scope) -> None:
    if not sys.stdin.isatty():
        raise BadUsage("There is no terminal to ask on: give --yes to erase.")
    what = ", ".join(f"{number} {kind}" for kind, number in counted(archive, scope).items()) or "nothing"
    question = f"Erase the memory of agent {scope.agent}, user {scope.user} for good ({what})?"
    if not typer.confirm(visible(question), err=True):
        raise Refused("Nothing was erased.", "declined")
