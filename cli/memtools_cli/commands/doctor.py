"""``doctor``."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import typer
from memtools.adapters.archive.permissions import NOBODY

from memtools_cli.checks import bucket, file, permissions, settings, table, tools
from memtools_cli.checks.finding import Finding, State, checked
from memtools_cli.connection import by_invoke, connect, named_functions
from memtools_cli.failures import Refused
from memtools_cli.options import MemoryOptions, OutputOptions, StoreOptions, ToolsOptions, flattened
from memtools_cli.output import show
from memtools_cli.stack import client, outputs_of, stores_of

# Problems come first.
_URGENCY: Final[dict[State, int]] = {"problem": 0, "warning": 1, "ok": 2}


def add_to(app: typer.Typer) -> None:
    """Add it."""
    app.command("doctor")(flattened(doctor))


def doctor(memory: MemoryOptions, tools: ToolsOptions, store: StoreOptions, output: OutputOptions) -> None:
    """Check a memory on this machine, a deployment or a service, and say what to do. It changes nothing."""
    findings = _findings(MemoryOptions(memory.agent or NOBODY, memory.user or NOBODY), tools, store)
    found = sorted(findings, key=lambda one: _URGENCY[one.state])
    problems = sum(one.state == "problem" for one in found)
    warnings = sum(one.state == "warning" for one in found)
    verdict = f"{len(found)} checks: {problems} problems, {warnings} warnings."
    show({"message": verdict, "findings": [one.as_dict() for one in found]}, as_json=output.json)
    if problems:
        raise typer.Exit(Refused.exit_code)


def _findings(memory: MemoryOptions, tools: ToolsOptions, store: StoreOptions) -> Iterator[Finding]:
    way, value = tools.chosen()
    if way == "data" and store.is_deployed:
        way = ""  # only stores are named
    if way == "data":
        yield from checked("file", partial(file.findings, Path(value)), file.ADVICE)
    if store.is_deployed:
        yield from checked("stores", partial(_stores, store))
    if store.stack:
        yield from checked("settings", lambda: settings.findings(client("lambda"), outputs_of(store.stack)))
    if way:
        yield from checked("tools", partial(_tools, memory, tools), *([file.ADVICE] if way == "data" else []))


def _stores(options: StoreOptions) -> Iterator[Finding]:
    stores = stores_of(options)
    yield from table.findings(stores, options.index)
    yield from bucket.findings(stores)
    yield from permissions.findings(stores)


def _tools(memory: MemoryOptions, options: ToolsOptions) -> Iterator[Finding]:
    yield from tools.findings(connect(options, memory))
    way, value = options.chosen()
    if way not in ("url", "data"):
        yield from tools.function_findings(named_functions(way, value), lambda functions: by_invoke(functions, memory))
