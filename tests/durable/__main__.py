"""``python -m tests.durable``: what a local service with a durable store was told is there when it starts again.

Then the same however the service ends, in check_endings.py. Needs ministack, which is made ready under build/. Exits
non-zero where anything is missing.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.served import local_service

_SECONDS = 120
_CALLER = {"x-memory-agent": "helper", "x-memory-user": "maya"}


def _call(url: str, tool: str, **arguments: Any) -> Any:
    reply = requests.post(f"{url}/tools/memory_{tool}", json=arguments, headers=_CALLER, timeout=_SECONDS)
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
        with local_service(Path(folder)) as service:
            _remember(service.url)
        with local_service(Path(folder)) as service:
            held = _expectations(service.url)
    for what, holds in held.items():
        print("ok" if holds else "MISSING", what)
    if not all(held.values()):
        return 1
    return pytest.main(["-q", str(Path(__file__).with_name("check_endings.py"))])


if __name__ == "__main__":
    sys.exit(main())
