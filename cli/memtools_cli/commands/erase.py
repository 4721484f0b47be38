"""``erase``."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from memtools.domain.scope import Scope

from memtools_cli.erasing import counted
from memtools_cli.erasing import erase as erase_scope
from memtools_cli.failures import bad_usage, refused
from memtools_cli.options import Form, Place, Whose, flattened
from memtools_cli.output import bar, show, visible
from memtools_cli.receipt import receipt_of
from memtools_cli.stores import Stores, stores_of


def add_to(app: typer.Typer) -> None:
    """Add it."""
    app.command("erase")(flattened(erase))


def erase(
    *,
    whose: Whose,
    place: Place,
    form: Form,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", help="The receipt's file, also that of a run to go on with.")
    ] = None,
) -> None:
    """Erase all of one memory for good, its history and its documents too, and write a receipt."""
    scope, stores = whose.scope(), stores_of(place)
    if not yes:
        _ask(stores, scope)
    paper = receipt_of(stores, scope, receipt)
    with bar("Erasing") as progress:
        erase_scope(stores, scope, paper, progress)
    show(
        {"message": f"Erased. The receipt is {paper.file}.", "receipt": str(paper.file)} | paper.as_dict(),
        as_json=form.json,
    )


def _ask(stores: Stores, scope: Scope) -> None:
    if not sys.stdin.isatty():
        raise bad_usage("Nobody can be asked here: say --yes to erase.")
    what = ", ".join(f"{number} {kind}" for kind, number in counted(stores, scope).items()) or "nothing"
    question = f"Erase the memory of agent {scope.agent}, user {scope.user} for good ({what})?"
    if not typer.confirm(visible(question), err=True):
        raise refused("Nothing was erased.", "declined")
