"""``python -m local``: the service, left running, with lines to paste.

It is `memtools serve`, with its memory in the folder DATA. With STORE=moto or STORE=ministack it is what is deployed,
over an emulator of AWS that forgets: for work on the template and on the AWS adapters.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from memtools_cli.app import main as memtools

from local import store
from local.ministack import ministack_endpoint, settings_for
from local.service import running

_PORT = 8765
# SIGHUP comes when the terminal is closed; not every system has it.
_ENDING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


@contextmanager
def emulator(kind: str) -> Iterator[None]:
    """The emulator that STORE names, for all clients made inside. Raises RuntimeError for any other."""
    match kind:
        case "moto":
            yield
        case "ministack":
            with ministack_endpoint() as address, store.environment(settings_for(address)):
                yield
        case _:
            raise RuntimeError("STORE is moto or ministack; without it, the memory is kept in a folder")


def interrupt(*_: Any) -> None:
    """End as Ctrl+C does, so that what is started here is stopped, too; another signal does not disturb that."""
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt


def serve_emulated(kind: str) -> None:
    """Serve over an emulator until interrupted, on PORT or 8765."""
    for one in _ENDING:
        if signal.getsignal(one) is not signal.SIG_IGN:  # as `nohup` leaves it
            signal.signal(one, interrupt)
    try:
        with emulator(kind), running(int(os.environ.get("PORT", _PORT))) as service:
            print(f"memtools listens at {service.url}; its memory lasts until it ends (Ctrl+C).")
            print(f"window: {service.url}/\nemulator: {service.emulator}", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal may be gone
            print("\nStopped.", flush=True)
    except RuntimeError as error:
        sys.exit(str(error))


def main() -> None:
    """Serve what STORE and DATA ask for."""
    kind, folder = os.environ.get("STORE", ""), os.environ.get("DATA", "")
    if kind and folder:
        sys.exit("DATA is the folder of a memory on this machine; it does not go with STORE")
    if kind:
        serve_emulated(kind)
    else:
        sys.exit(memtools(["serve", *(["--data", folder] if folder else [])]))


if __name__ == "__main__":
    main()
