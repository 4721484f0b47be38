"""``export`` and ``import``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from memtools_cli import foreign, formats, page
from memtools_cli.connection import connect
from memtools_cli.export_file import read_export
from memtools_cli.exporting import export as export_lines
from memtools_cli.failures import BadUsage, Refused
from memtools_cli.formats.plan import Plan
from memtools_cli.options import MemoryOptions, OutputOptions, StoreOptions, ToolsOptions, flattened
from memtools_cli.output import bar, show
from memtools_cli.report import becomes, left_out_of, shortened
from memtools_cli.stack import agent_archive_of, archive_of
from memtools_cli.streams import STANDARD, input_file, output_file


def add_to(app: typer.Typer) -> None:
    """Add both."""
    app.command("export")(flattened(export))
    app.command("import")(flattened(import_))


def export(
    *,
    memory: MemoryOptions,
    store: StoreOptions,
    output: OutputOptions,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist yet. `-`: standard output.")
    ],
    markdown: Annotated[bool, typer.Option("--markdown", help="A page for people; it cannot be imported.")] = False,
) -> None:
    """Write a whole memory, with its history, to a file. Interrupted, the same command continues."""
    scope, archive = memory.scope(), archive_of(store)
    with output_file(file) as place, bar("Exporting") as advance:
        counts = page.export(archive, scope, place) if markdown else export_lines(archive, scope, place, advance)
    if file != STANDARD:  # there, the export is all of the output
        show({"message": f"Exported to {file}.", "file": str(file), **counts}, as_json=output.json)


def import_(
    *,
    memory: MemoryOptions,
    tools: ToolsOptions,
    store: StoreOptions,
    output: OutputOptions,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or a folder of Markdown. `-`: standard input.")],
    kind: Annotated[str, typer.Option("--format", help=f"{', '.join(formats.FORMATS)}; recognised unless named.")] = "",
    only_user: Annotated[
        str | None, typer.Option("--of-user", help="Refuse a mem0 file with memories of any other user id.")
    ] = None,
    columns: Annotated[
        str, typer.Option("--columns", help="For CSV: text=NAME,date=NAME,tags=NAME; only what is named otherwise.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would become of what. Write nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse everything if anything would be left out.")] = False,
) -> None:
    """Put an export into an empty memory, or another program's memories into any. Run again, it continues."""
    if kind and kind not in formats.FORMATS:
        raise BadUsage(f"--format is one of {', '.join(formats.FORMATS)}.")
    mapped = _columns(columns)
    with input_file(path) as file:
        if not file.exists():
            raise BadUsage(f"There is no {file}.")
        kind = kind or formats.format_of(file)
        if kind == formats.OWN:
            result = _import_export(memory, store, file, dry_run=dry_run)
        else:
            plan = formats.read(file, kind, mapped)
            foreign.require_user(plan, only_user)
            result = _import_plan(memory, tools, store, plan, dry_run=dry_run, strict=strict)
    done = f"Nothing was written. This is what {path} would become." if dry_run else f"Imported {path}."
    show({"message": done, **(result if output.json else shortened(result))}, as_json=output.json)


def _columns(text: str) -> dict[str, str]:
    """The names of columns by their use."""
    pairs = [part.partition("=") for part in text.split(",") if part]
    if any(use not in ("text", "date", "tags") or not name for use, _, name in pairs):
        raise BadUsage("--columns takes text=NAME,date=NAME,tags=NAME.")
    return {use: name for use, _, name in pairs}


def _import_export(memory: MemoryOptions, store: StoreOptions, path: Path, *, dry_run: bool) -> dict[str, Any]:
    found = read_export(path)
    if dry_run:
        return found.counts
    scope, archive = memory.scope(), archive_of(store)
    try:
        with bar("Importing", len(found.records)) as advance:
            for number in archive.write_all(scope, found.records, found.documents):
                advance(number)
    except ValueError as error:
        raise BadUsage(f"{path} {error}.") from None
    return found.counts


def _import_plan(
    memory: MemoryOptions, tools: ToolsOptions, store: StoreOptions, plan: Plan, *, dry_run: bool, strict: bool
) -> dict[str, Any]:
    archive = agent_archive_of(store, local=tools.chosen()[0] == "data") if plan.agent_documents else None
    if not archive:
        for name in plan.agent_documents:
            plan.leave(name, "it belongs to the agent; name --bucket to store it")
            plan.taken.pop((name, "document of the agent"), None)
    if strict and plan.left_out:
        raise Refused(
            f"{len(plan.left_out)} things would be left out, so nothing was imported: {plan.left_out[0]}.",
            details=left_out_of(plan),
        )
    if dry_run:
        return {"becomes": becomes(plan), **left_out_of(plan)}
    connected = connect(tools, memory)
    missing = foreign.missing_agent_documents(archive, memory.scope(), plan) if archive else {}
    with bar("Importing", len(plan.calls)) as advance:
        counts = foreign.import_plan(connected, plan, advance)
    if archive:
        foreign.create_agent_documents(archive, memory.scope(), missing)
    return {**counts, "agentDocuments": len(missing), **left_out_of(plan)}
