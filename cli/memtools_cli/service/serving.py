"""A WSGI application on loopback, in threads of this process."""

import contextlib
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

# A connection on which nothing comes for so long is closed.
IDLE_SECONDS: Final = 30.0
CONNECTIONS: Final = 100
_BUSY: Final = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_PIECE: Final = 65_536
_LATEST_END: Final = 0.1  # seconds after which the server sees that it should end


class _Remainder:
    """What an answered request still sends. werkzeug drops it in pieces of 10 MB; here they are small."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, _: int) -> bytes:
        data: bytes = self._stream.read1(_PIECE)
        return data

    def close(self) -> None:
        self._stream.close()


class _Handler(WSGIRequestHandler):
    timeout = IDLE_SECONDS

    def make_environ(self) -> dict[str, Any]:
        environ = super().make_environ()
        self.rfile = _Remainder(self.rfile)  # type: ignore[assignment]  # the application has the stream itself
        return environ

    def log_error(self, *_: Any) -> None:
        """Nobody needs to read that a connection was idle."""


class _Server(ThreadedWSGIServer):
    """At most so many connections at once; one more is told to come back."""

    def __init__(self, port: int, application: Any, connections: int) -> None:
        self._free = threading.BoundedSemaphore(connections)
        super().__init__("127.0.0.1", port, application, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            request.setblocking(False)
            with contextlib.suppress(OSError):
                request.send(_BUSY)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()


@contextmanager
def serving(application: Any, port: int = 0, connections: int = CONNECTIONS) -> Iterator[str]:
    """The address at which the application answers, on ``port`` or a free one. Requests are not logged."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = _Server(port, application, connections)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": _LATEST_END}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
