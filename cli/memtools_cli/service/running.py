"""The service over a memory in a file: the real handlers of the functions, in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import environ
from typing import Final

from memtools.catalogue import TOOLS
from memtools.config import Settings
from memtools_window.window_handler import handler as window

from memtools_cli.service.http import WINDOW_FILES, application
from memtools_cli.service.serving import serving

# Those of the template, each with what serves it. The window is always there: it is for whoever started the service.
ROUTES: Final = {
    **{f"POST /tools/{name}": tool.function for name, tool in TOOLS.items()},
    "ANY /mcp": "mcp",
    "GET /": "window",
    f"GET {WINDOW_FILES}": "window",
}


@contextmanager
def running(settings: Settings, port: int = 0) -> Iterator[str]:
    """The address of the service on ``port`` (0: a free one)."""
    # Metrics are lines on standard output, which CloudWatch reads. Here nobody does.
    environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    from memtools.handler import handler_for, mcp_handler

    handlers = {function: handler_for(function, settings) for function in {tool.function for tool in TOOLS.values()}}
    with serving(application(ROUTES, {**handlers, "mcp": mcp_handler(settings), "window": window}), port) as url:
        yield url
