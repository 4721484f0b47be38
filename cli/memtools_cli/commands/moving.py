"""``export`` and ``import``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from memtools_cli import foreign, formats, reading
from memtools_cli.exporting import export as export_lines
from memtools_cli.failures import bad_usage
from memtools_cli.formats.found import Found
from memtools_cli.importing import import_export, read_export
from memtools_cli.options import Form, Place, Reach, Whose, flattened
from memtools_cli.output import bar, show
from memtools_cli.stack import client
from memtools_cli.stores import bucket_of, stores_of
from memtools_cli.targets import target_of


def add_to(app: typer.Typer) -> None:
    """Add both."""
    app.command("export")(flattened(export))
    app.command("import")(flattened(import_))


def export(
    *,
    whose: Whose,
    place: Place,
    form: Form,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; it must not be there yet.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="A page for people; it cannot be imported.")] = False,
) -> None:
    """Write all there is of a memory, its history too, to a file. Interrupted, the same command goes on."""
    scope, stores = whose.scope(), stores_of(place)
    with bar("Exporting") as progress:
        counts = reading.export(stores, scope, file) if markdown else export_lines(stores, scope, file, progress)
    show({"message": f"Exported to {file}.", "file": str(file), **counts}, as_json=form.json)


def import_(
    *,
    whose: Whose,
    reach: Reach,
    place: Place,
    form: Form,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder of Markdown documents.")],
    kind: Annotated[str, typer.Option("--format", help=f"{', '.join(formats.FORMATS)}; recognised unless named.")] = "",
    only_user: Annotated[
        str | None, typer.Option("--of-user", help="Refuse a mem0 file with memories of any other user id.")
    ] = None,
) -> None:
    """Put an export into an empty memory, or what another program remembered into any. Run again, it goes on."""
    if kind and kind not in formats.FORMATS:
        raise bad_usage(f"--format is one of {', '.join(formats.FORMATS)}.")
    if not path.exists():
        raise bad_usage(f"There is no {path}.")
    if (kind or formats.format_of(path)) == formats.OWN:
        counts = _own(whose, place, path)
    else:
        found = formats.read(path, kind or formats.format_of(path))
        foreign.of_user(found, only_user)
        counts = _foreign(whose, reach, place, found)
    show({"message": f"Imported {path}.", **counts}, as_json=form.json)


def _own(whose: Whose, place: Place, path: Path) -> dict[str, Any]:
    scope, stores = whose.scope(), stores_of(place)
    found = read_export(path)
    with bar("Importing", len(found.records)) as progress:
        import_export(stores, scope, found, progress)
    return found.counts


def _foreign(whose: Whose, reach: Reach, place: Place, found: Found) -> dict[str, Any]:
    foreign.require_sound(found)
    target = target_of(reach, whose)
    documents: dict[str, str] = {}
    bucket = bucket_of(place) if found.agent_documents else ""
    if bucket:
        documents = foreign.agent_documents_to_write(client("s3"), bucket, whose.scope(), found)
    elif found.agent_documents:
        found.left_out += [
            f"{name}: it belongs to the agent; name --bucket to put it there" for name in found.agent_documents
        ]
    with bar("Importing", len(found.calls)) as progress:
        counts = foreign.import_found(target, found, progress)
    if documents:
        foreign.write_agent_documents(client("s3"), bucket, whose.scope(), documents)
    return {**counts, "agentDocuments": len(documents), "leftOut": found.left_out}
