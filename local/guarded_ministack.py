"""ministack behind our guard, ending with whoever started it. Run by ministack's Python: ``-P THIS``.

Standard input is a pipe that the starting process holds open and never writes to. However that process ends, the pipe
closes, and ministack stops.
"""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "cli")]

from memtools_cli.service.guard import FORBIDDEN, is_cors  # noqa: E402

from local.guard import by_own_client  # noqa: E402

Send = Callable[[dict[str, Any]], Awaitable[None]]


def guarded(application: Any) -> Any:
    """The ASGI application for our own clients; other requests are refused before any of their body is read."""

    async def respond(scope: dict[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await application(scope, receive, send)
        elif scope["type"] == "http":
            allowed = by_own_client(_headers_of(scope), scope["server"][1])
            await (application(scope, receive, _without_cors(send)) if allowed else _refuse(send))
        # Nothing here speaks WebSocket, so such a connection is closed unanswered.

    return respond


def _headers_of(scope: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        told = name.decode("latin-1").lower()
        found[told] = ",".join(filter(None, (found.get(told), value.decode("latin-1"))))
    return found


def _without_cors(send: Send) -> Send:
    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = [one for one in message.get("headers", []) if not is_cors(one[0].decode("latin-1"))]
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(FORBIDDEN)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": FORBIDDEN})


def end_with_parent() -> None:
    """Stop this process once standard input is closed."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Serve until told to stop."""
    module = importlib.import_module("ministack.app")
    module.app = guarded(module.app)  # type: ignore[attr-defined]
    threading.Thread(target=end_with_parent, daemon=True).start()
    module.main()


if __name__ == "__main__":
    main()
