"""``python -m local``: the service, left running, with lines to paste.

With STORE=ministack it keeps its memories in the folder DATA, from one run to the next.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from local import store
from local.ministack import ministack_endpoint, settings_for
from local.service import running

_PORT = 8765
# SIGHUP comes when the terminal is closed; not every system has it.
_ENDING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
_EXAMPLES = """\
memtools listens at {url}; its memory lasts {lasts} (Ctrl+C).
window: {url}/
MCP: {url}/mcp, with the headers x-memory-agent and x-memory-user
emulator: {emulator}
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


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Stores whose state is that of the folder, for all clients made inside."""
    with ministack_endpoint(data=folder) as address, store.environment(settings_for(address)):
        yield


@contextmanager
def chosen_store() -> Iterator[str]:
    """The store that STORE and DATA ask for; how long its memory lasts."""
    match os.environ.get("STORE", ""), os.environ.get("DATA", ""):
        case "", "":
            yield "until it ends"
        case "ministack", folder if folder:
            with kept_in(Path(folder).expanduser()):
                yield f"in {folder}, where it is written when this ends"
        case _:
            raise RuntimeError("STORE is ministack, and goes with DATA, a folder; or leave both out")


def interrupt(*_: Any) -> None:
    """End as Ctrl+C does, so that what is started here is stopped, too; another signal does not disturb that."""
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> None:
    """Serve until interrupted, on PORT or 8765."""
    for one in _ENDING:
        if signal.getsignal(one) is not signal.SIG_IGN:  # as `nohup` leaves it
            signal.signal(one, interrupt)
    try:
        with chosen_store() as lasts, running(int(os.environ.get("PORT", _PORT))) as service:
            print(_EXAMPLES.format(url=service.url, emulator=service.emulator, lasts=lasts), flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal may be gone
            print("\nStopped.", flush=True)
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
