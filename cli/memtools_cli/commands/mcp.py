"""``mcp``: the tools for programs that start an MCP server and talk to it over standard input and output."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any, BinaryIO, Final, Literal

import typer
from memtools.errors import (
    Ambiguous,
    Conflict,
    Fault,
    InvalidArguments,
    NotFound,
    TooLarge,
    ToolError,
    Unavailable,
    Uncertain,
    Unscoped,
)
from memtools.wire.incoming import require_usable
from memtools.wire.mcp.exchange import Exchange, ToolCall
from memtools.wire.mcp.jsonrpc import INVALID_REQUEST, Refused, read
from memtools.wire.mcp.offer import is_repeatable

from memtools_cli import connection
from memtools_cli.failures import Failure, failure_of
from memtools_cli.options import MemoryOptions, ToolsOptions, flattened

# The size of an event that Lambda takes.
_LINE_LIMIT: Final = 6 * 1024 * 1024
_PIECE: Final = 65_536
_KINDS: Final[Mapping[str, type[ToolError]]] = {
    kind.code: kind for kind in (InvalidArguments, Unscoped, NotFound, Ambiguous, Conflict, TooLarge, Unavailable)
} | {"forbidden": Unscoped}

Run = Callable[[ToolCall], Mapping[str, Any]]


def add_to(app: typer.Typer) -> None:
    """Add it."""
    app.command("mcp")(flattened(mcp))


def mcp(
    *,
    memory: MemoryOptions,
    tools: ToolsOptions,
    profile: Annotated[
        Literal["small", "full"], typer.Option(help="Which tools: the six of everyday use, or all.")
    ] = "small",
) -> None:
    """Serve the tools over the Model Context Protocol, on standard input and output, for one agent and user."""
    client = connection.connect(tools, memory)

    def run(call: ToolCall) -> Mapping[str, Any]:
        if not isinstance(call.arguments, dict):
            raise InvalidArguments(f"The arguments of {call.tool} must be a JSON object.")
        require_usable(call.key)
        return connection.call(client, call.tool, call.arguments, key=call.key)

    serve(sys.stdin.buffer, sys.stdout.buffer, run, profile)


def serve(source: BinaryIO, sink: BinaryIO, run: Run, profile: str) -> None:
    """Answer each line until the client closes the source. Nothing but replies is written to the sink."""
    while line := source.readline(_LINE_LIMIT + 1):
        reply = _too_large(source, line) if len(line) > _LINE_LIMIT else answer(line, run, profile)
        if reply is not None:
            sink.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
            sink.flush()


def answer(line: bytes, run: Run, profile: str) -> dict[str, Any] | None:
    """The reply to a line; None for a blank one and for a notification."""
    if not line.strip():
        return None
    try:
        exchange = Exchange.of(read(line), profile)
        opened = exchange.open()
        return exchange.close(_outcome(run, opened)) if isinstance(opened, ToolCall) else opened
    except Refused as refused:
        return refused.reply()


def _outcome(run: Run, call: ToolCall) -> Mapping[str, Any] | ToolError:
    try:
        return run(call)
    except ToolError as error:
        return error
    except Exception as error:  # noqa: BLE001 - a bug ends one call, not the conversation
        return _tool_error(call, failure_of(error))


def _tool_error(call: ToolCall, failure: Failure) -> ToolError:
    """The failure in the tools' vocabulary. Whatever is not in it, the model cannot mend.

    After no answer, a call that is not repeatable may have been made, unless its key tells it from another one.
    """
    kind = _KINDS.get(failure.code, Fault)
    if kind is Unavailable and call.key is None and not is_repeatable(call.tool):
        kind = Uncertain
    return kind(failure.message, **failure.details)


def _too_large(source: BinaryIO, line: bytes) -> dict[str, Any]:
    """Skip the rest of the line."""
    while line and not line.endswith(b"\n"):
        line = source.readline(_PIECE)
    return Refused(INVALID_REQUEST, f"A message has at most {_LINE_LIMIT} bytes.", TooLarge.code).reply()
