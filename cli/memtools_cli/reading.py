"""A memory as a Markdown page for people."""

from collections.abc import Iterable
from pathlib import Path

from memtools.domain.scope import Scope
from memtools.domain.trace import Status, Trace

from memtools_cli.documents import pages_of
from memtools_cli.failures import bad_usage, refused
from memtools_cli.files import replace_file
from memtools_cli.records import record_of_item
from memtools_cli.stores import Stores, oldest_first, pages


def export(stores: Stores, scope: Scope, file: Path) -> dict[str, int]:
    """Write the page; how many memories and documents there are on it. It can not be imported."""
    if file.exists():
        raise refused(f"{file} is there already. Name another file, or remove it.")
    records = [record_of_item(values) for page in pages(stores, scope) for values in page]
    traces = [record for record in records if isinstance(record, Trace)]
    documents = {page.name: page.data for page in pages_of(stores, scope, oldest_first(stores, scope))}
    texts = {name: data.decode(errors="replace") for name, data in documents.items() if data is not None}
    try:
        replace_file(file, page_of(scope, traces, texts))
    except OSError as error:
        raise bad_usage(f"Cannot write to {file}: {error.strerror}.") from None
    return {"traces": len(traces), "documents": len(texts)}


def page_of(scope: Scope, traces: Iterable[Trace], texts: dict[str, str]) -> str:
    """The page: documents, what is remembered by day, newest first, and what no longer is."""
    newest_first = sorted(traces, key=lambda trace: (trace.when, trace.id), reverse=True)
    parts = [f"# Memory of {_line(scope.agent)} about {_line(scope.user)}", ""]
    for name, text in texts.items():
        parts += [f"## {name}", "", text.strip(), ""]
    for heading, status in (("Remembered", Status.LIVE), ("Merged", Status.MERGED), ("Deleted", Status.DELETED)):
        if some := [trace for trace in newest_first if trace.status is status]:
            parts += [f"## {heading}", "", *map(_entry, some), ""]
    return "\n".join(parts)


def _entry(trace: Trace) -> str:
    """The memory as an entry: its day, what it says, its tags, and what became of it."""
    told = [f"{trace.when:%Y-%m-%d}: {trace.content.strip()}"]
    told += [f"(tags: {', '.join(trace.tags)})"] if trace.tags else []
    told += [f"(part of {trace.merged_into})"] if trace.merged_into else []
    told += [f"(reason: {trace.reason})"] if trace.reason else []
    return "- " + " ".join(told).replace("\n", "\n  ")


def _line(text: str) -> str:
    return " ".join(text.split())
