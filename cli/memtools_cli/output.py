"""Results on standard output, for people or for programs; progress and errors on standard error."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

Advance = Callable[[int], None]  # moves a progress bar by so many steps
# A memory's text is shown, never obeyed: terminals act on control characters, and on marks that reverse text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ID_WIDTH = 35
_FEW_COLUMNS = 4


def visible(text: str) -> str:
    """The text with control characters as their escapes."""
    shown = _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    return shown.encode(errors="backslashreplace").decode()


def escape_what_no_encoding_has() -> None:
    """Let standard output and error print any text: a character that their encoding lacks comes out as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _json(result: Mapping[str, Any], encoding: str | None) -> str:
    """JSON that the encoding can carry. Its own escapes are valid in JSON, those of a stream are not."""
    text = json.dumps(result, ensure_ascii=False, indent=2)
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(result, indent=2)
    return text


def show(result: Mapping[str, Any], *, as_json: bool) -> None:
    """Print what a command found or did."""
    if as_json:
        sys.stdout.write(_json(result, sys.stdout.encoding) + "\n")
        return
    console = Console(markup=False, highlight=False, emoji=False)
    for name, value in result.items():
        _show_part(console, name, value)


def _show_part(console: Console, name: str, value: Any) -> None:
    match value:
        case [{"traces": _}, *_]:
            for group in value:
                console.print(f"{_cell(group['score'])}  {_cell(group['traceIds'])}", soft_wrap=True)
                for trace in group["traces"]:
                    console.print(f"  {_cell(trace['content'])}", soft_wrap=True)
        case [{}, *_] if max(map(len, value)) <= _FEW_COLUMNS:
            console.print(_table(value))
        case [{}, *_]:
            for row in value:
                _show_row(console, row)
        case [str(), *_] if name in ("leftOut", "understood"):
            console.print(f"{name}:", soft_wrap=True)
            for one in value:
                console.print(f"  {visible(one)}", soft_wrap=True)
        case []:
            console.print(f"{name}: none", soft_wrap=True)
        case str() if name in ("message", "text"):
            console.print(visible(value), soft_wrap=True)
        case _:
            console.print(f"{name}: {_cell(value)}", soft_wrap=True)


def _show_row(console: Console, row: Mapping[str, Any]) -> None:
    """A row of many columns, one column a line: a memory's text needs the whole width."""
    first, *rest = row
    console.print(_cell(row[first]), soft_wrap=True)
    for name in rest:
        console.print(f"  {visible(name)}: {_cell(row[name])}", soft_wrap=True)


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = Table(*map(visible, names), box=None, pad_edge=False)
    for column, name in zip(table.columns, names, strict=True):
        column.overflow = "fold"
        column.min_width = _ID_WIDTH if name == "id" else None
    for row in rows:
        table.add_row(*(Text(_cell(row[name])) if name in row else Text() for name in names))
    return table


def _cell(value: Any) -> str:
    match value:
        case str():
            return visible(value)
        case list() if all(isinstance(one, str) for one in value):
            return visible(", ".join(value))
        case dict():
            return ", ".join(f"{visible(name)}: {_cell(one)}" for name, one in value.items())
        case _:
            return visible(json.dumps(value, ensure_ascii=False))


def print_error(message: str) -> None:
    """One line for people, on standard error."""
    sys.stderr.write(f"memtools: {visible(' '.join(message.split()))}\n")


@contextmanager
def bar(doing: str, total: int | None = None) -> Iterator[Advance]:
    """A progress bar on standard error, where that is a terminal; ``total`` is None where it is unknown."""
    console = Console(stderr=True, markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield partial(progress.advance, progress.add_task(doing, total=total))
