"""``export`` and ``import``."""

from pathlib import Path
from typing import Annotated, Any

import typer
from memtools.adapters.archive.importing import write_all

from memtools_cli import foreign, formats, page
from memtools_cli.connection import connect
from memtools_cli.export_file import read_export
from memtools_cli.exporting import export as export_lines
from memtools_cli.failures import BadUsage
from memtools_cli.formats.plan import Plan
from memtools_cli.options import MemoryOptions, OutputOptions, StoreOptions, ToolsOptions, flattened
from memtools_cli.output import bar, show
from memtools_cli.stack import bucket_of, client, stores_of


def add_to(app: typer.Typer) -> None:
    """Add both."""
    app.command("export")(flattened(export))
    app.command("import")(flattened(import_))


def export(
    *,
    memory: MemoryOptions,
    store: StoreOptions,
    output: OutputOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist yet.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="A page for people; it cannot be imported.")] = False,
) -> None:
    """Write a whole memory, with its history, to a file. Interrupted, the same command continues."""
    scope, stores = memory.scope(), stores_of(store)
    with bar("Exporting") as advance:
        counts = page.export(stores, scope, file) if markdown else export_lines(stores, scope, file, advance)
    show({"message": f"Exported to {file}.", "file": str(file), **counts}, as_json=output.json)


def import_(
    *,
    memory: MemoryOptions,
    tools: ToolsOptions,
    store: StoreOptions,
    output: OutputOptions,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder of Markdown documents.")],
    kind: Annotated[str, typer.Option("--format", help=f"{', '.join(formats.FORMATS)}; recognised unless named.")] = "",
    only_user: Annotated[
        str | None, typer.Option("--of-user", help="Refuse a mem0 file with memories of any other user id.")
    ] = None,
) -> None:
    """Put an export into an empty memory, or another program's memories into any. Run again, it continues."""
    if kind and kind not in formats.FORMATS:
        raise BadUsage(f"--format is one of {', '.join(formats.FORMATS)}.")
    if not path.exists():
        raise BadUsage(f"There is no {path}.")
    kind = kind or formats.format_of(path)
    if kind == formats.OWN:
        counts = _import_export(memory, store, path)
    else:
        plan = formats.read(path, kind)
        foreign.require_user(plan, only_user)
        counts = _import_plan(memory, tools, store, plan)
    show({"message": f"Imported {path}.", **counts}, as_json=output.json)


def _import_export(memory: MemoryOptions, store: StoreOptions, path: Path) -> dict[str, Any]:
    scope, stores = memory.scope(), stores_of(store)
    found = read_export(path)
    try:
        with bar("Importing", len(found.records)) as advance:
            for number in write_all(stores, scope, found.records, found.documents):
                advance(number)
    except ValueError as error:
        raise BadUsage(f"{path} {error}.") from None
    return found.counts


def _import_plan(memory: MemoryOptions, tools: ToolsOptions, store: StoreOptions, plan: Plan) -> dict[str, Any]:
    foreign.require_storable(plan)
    connected = connect(tools, memory)
    documents: dict[str, bytes] = {}
    bucket = bucket_of(store) if plan.agent_documents else ""
    if bucket:
        documents = foreign.missing_agent_documents(client("s3"), bucket, memory.scope(), plan)
    else:
        plan.left_out += [
            f"{name}: it belongs to the agent; name --bucket to store it" for name in plan.agent_documents
        ]
    with bar("Importing", len(plan.calls)) as advance:
        counts = foreign.import_plan(connected, plan, advance)
    if documents:
        foreign.create_agent_documents(client("s3"), bucket, memory.scope(), documents)
    return {**counts, "agentDocuments": len(documents), "leftOut": plan.left_out}
