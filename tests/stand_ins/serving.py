"""A small JSON service on a free port of loopback."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response


@contextmanager
def serving(respond: Callable[[Request], Response]) -> Iterator[str]:
    """The address at which ``respond`` answers."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, Request.application(respond), threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
