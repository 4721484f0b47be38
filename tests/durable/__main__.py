"""``python -m tests.durable``: what a local service with a durable store was told is there when it starts again.

Needs ministack, which is made ready under build/. Exits non-zero where anything is missing.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import requests

from local.template import ROOT

_SECONDS = 120
_CALLER = {"x-memory-agent": "helper", "x-memory-user": "maya"}


@contextmanager
def _serving(data: str) -> Iterator[str]:
    """The address of a service that keeps its memories in ``data``; it is ended as a system ends it."""
    settings = {**os.environ, "STORE": "ministack", "DATA": data, "PORT": "0", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "local"]
    process = subprocess.Popen(command, env=settings, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        told = next((line for line in process.stdout if line.startswith("window: ")), "")
        if not told:
            raise RuntimeError(f"the service did not start, and ended with {process.wait(_SECONDS)}")
        yield told.removeprefix("window: ").strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=_SECONDS)
    if process.returncode:
        raise RuntimeError(f"the service ended with {process.returncode}")


def _call(url: str, tool: str, **arguments: Any) -> Any:
    reply = requests.post(f"{url}tools/memory_{tool}", json=arguments, headers=_CALLER, timeout=_SECONDS)
    reply.raise_for_status()
    return reply.json()


def _remember(url: str) -> None:
    _call(url, "add", facts=["Maya sails", "Maya is allergic to walnuts"])
    _call(url, "edit", action="add", target="user", text="Speaks Portuguese")
    _call(url, "edit", action="add", target="user", text="Speaks English")


def _expectations(url: str) -> dict[str, bool]:
    facts = {one["content"] for one in _call(url, "list")["results"]}
    found = _call(url, "search", query="Is Maya allergic to walnuts?")["results"]
    undone = _call(url, "edit", action="undo", target="user")["text"]
    return {
        "what was added is listed": facts == {"Maya sails", "Maya is allergic to walnuts"},
        "it is found": bool(found) and found[0]["content"] == "Maya is allergic to walnuts",
        "an edit made before can be undone": "Portuguese" in undone and "English" not in undone,
        "the undo is one more version": len(_call(url, "history", target="user")["versions"]) == 3,
    }


def main() -> int:
    """Remember, end, begin again; its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        with _serving(folder) as url:
            _remember(url)
        with _serving(folder) as url:
            held = _expectations(url)
    for what, holds in held.items():
        print("ok" if holds else "MISSING", what)
    return 0 if all(held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
