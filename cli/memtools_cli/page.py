"""A memory as a Markdown page for people."""

from collections.abc import Iterable
from pathlib import Path

from memtools.adapters.archive.port import Archive
from memtools.domain.scope import Scope
from memtools.domain.trace import Status, Trace

from memtools_cli.failures import BadUsage, Refused
from memtools_cli.files import exists, replace_file


def export(archive: Archive, scope: Scope, file: Path) -> dict[str, int]:
    """Write the page; how many memories and documents it has. It cannot be imported."""
    if exists(file):
        raise Refused(f"{file} exists already. Name another file, or remove it.")
    records = [record for page in archive.record_pages(scope) for record in page]
    traces = [record for record in records if isinstance(record, Trace)]
    documents = {one.name: one.data for one in archive.documents(scope)}
    texts = {name: data.decode(errors="replace") for name, data in documents.items() if data is not None}
    try:
        replace_file(file, page_of(scope, traces, texts))
    except OSError as error:
        raise BadUsage(f"Cannot write to {file}: {error.strerror}.") from None
    return {"traces": len(traces), "documents": len(texts)}


def page_of(scope: Scope, traces: Iterable[Trace], texts: dict[str, str]) -> str:
    """The page: the documents, then memories by day, newest first, then those that were merged or deleted."""
    newest_first = sorted(traces, key=lambda trace: (trace.when, trace.id), reverse=True)
    parts = [f"# Memory of {_line(scope.agent)} about {_line(scope.user)}", ""]
    for name, text in texts.items():
        parts += [f"## {name}", "", text.strip(), ""]
    for heading, status in (("Remembered", Status.LIVE), ("Merged", Status.MERGED), ("Deleted", Status.DELETED)):
        if some := [trace for trace in newest_first if trace.status is status]:
            parts += [f"## {heading}", "", *map(_entry, some), ""]
    return "\n".join(parts)


def _entry(trace: Trace) -> str:
    """The memory as an entry: day, content, tags, and what became of it."""
    parts = [f"{trace.when:%Y-%m-%d}: {trace.content.strip()}"]
    parts += [f"(tags: {', '.join(trace.tags)})"] if trace.tags else []
    parts += [f"(part of {trace.merged_into})"] if trace.merged_into else []
    parts += [f"(reason: {trace.reason})"] if trace.reason else []
    return "- " + " ".join(parts).replace("\n", "\n  ")


def _line(text: str) -> str:
    return " ".join(text.split())
