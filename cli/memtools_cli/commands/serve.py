"""``serve``."""

import threading
from typing import Annotated, Final

import typer

from memtools_cli.failures import BadUsage
from memtools_cli.local import settings_of
from memtools_cli.options import DataOption, folder_of
from memtools_cli.signals import Stopped

_EXAMPLES: Final = """\
memtools listens at {url}; its memory is kept in {folder} (Ctrl+C).
window: {url}/
MCP: {url}/mcp, with the headers x-memory-agent and x-memory-user
Paste into another terminal:

  curl -s {url}/tools/memory_add -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' \\
       -d '{{"facts": ["Ana prefers dark themes", "Ana is allergic to walnuts"]}}'

  curl -s {url}/tools/memory_search -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' \\
       -d '{{"query": "what must she not eat?"}}'

  curl -s {url}/tools/memory_edit -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' \\
       -d '{{"action": "add", "target": "user", "text": "Speaks Spanish and English"}}'

  curl -s {url}/tools/memory_read -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' -d '{{}}'
"""


def add_to(app: typer.Typer) -> None:
    """Add it."""
    app.command("serve")(serve)


def serve(
    data: DataOption = "",
    port: Annotated[
        int, typer.Option("--port", envvar="PORT", help="The port on 127.0.0.1; 0 takes a free one.")
    ] = 8765,
) -> None:
    """Serve the tools over HTTP and MCP, with the window, from a memory on this machine."""
    from memtools_cli.service.running import (
        running,  # the handlers' libraries take a while, and nothing else needs them
    )

    settings = settings_of(folder_of(data))
    assert settings.file
    try:
        with running(settings, port) as url:
            print(_EXAMPLES.format(url=url, folder=settings.file.parent), flush=True)  # noqa: T201
            threading.Event().wait()
    except OSError as error:
        raise BadUsage(f"Cannot listen on port {port}: {error.strerror}. Name another one with --port.") from None
    except Stopped:
        print("\nStopped.", flush=True)  # noqa: T201
