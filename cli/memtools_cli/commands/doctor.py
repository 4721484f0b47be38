"""``doctor``."""

from collections.abc import Iterator
from functools import partial

import typer

from memtools_cli.checks import bucket, permissions, settings, table, tools
from memtools_cli.checks.expected import NOBODY
from memtools_cli.checks.finding import Finding, survived
from memtools_cli.failures import Exit, bad_usage
from memtools_cli.options import Form, Place, Reach, Whose, flattened
from memtools_cli.output import show
from memtools_cli.stack import client, outputs_of
from memtools_cli.stores import stores_of
from memtools_cli.targets import target_of


def add_to(app: typer.Typer) -> None:
    """Add it."""
    app.command("doctor")(flattened(doctor))


def doctor(whose: Whose, reach: Reach, place: Place, form: Form) -> None:
    """Check a deployment or the local service, as far as it is named, and say what to do. It changes nothing."""
    if not (reach.is_named or place.stack or place.table or place.bucket):
        raise bad_usage("What is to be checked? Name --url, --stack, or --table and --bucket.")
    found = list(_findings(Whose(whose.agent or NOBODY, whose.user or NOBODY), reach, place))
    problems = sum(one.state == "problem" for one in found)
    warnings = sum(one.state == "warning" for one in found)
    verdict = f"{len(found)} checks: {problems} problems, {warnings} warnings."
    show({"findings": [one.as_dict() for one in found], "message": verdict}, as_json=form.json)
    if problems:
        raise typer.Exit(Exit.REFUSED)


def _findings(whose: Whose, reach: Reach, place: Place) -> Iterator[Finding]:
    if place.stack or place.table or place.bucket:
        yield from survived("stores", partial(_stores, place))
    if place.stack:
        yield from survived("settings", lambda: settings.findings(client("lambda"), outputs_of(place.stack)))
    if reach.is_named:
        yield from survived("tools", lambda: tools.findings(target_of(reach, whose)))


def _stores(place: Place) -> Iterator[Finding]:
    stores = stores_of(place)
    yield from table.findings(stores)
    yield from bucket.findings(stores)
    yield from permissions.findings(stores)
