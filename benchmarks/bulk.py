"""Whether a large memory can be loaded at once and searched right after: through the handlers of the local service.

    python -m benchmarks.bulk [--size 10000] [--json]

Adds made-up facts, a hundred a call, then searches. Prints the calls, how many failed, and the longest of them, with
the part of it that was the emulator's, which is slow where AWS is not.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import requests
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.peer_systems.filler import sentences
from local import store
from local.demo import warnings_only
from local.service import running

_FACTS_A_CALL = 100
_SEARCHES = 20
_HEADERS = {"x-memory-agent": "bulk", "x-memory-user": "user"}


class Emulated:
    """Adds up the time that emulated AWS takes to answer."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, application: store.Wsgi) -> store.Wsgi:
        """The application with its time added up."""

        def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            start = time.perf_counter()
            try:
                return list(application(environ, start_response))
            finally:
                self.seconds += time.perf_counter() - start

        return answer


def _call(url: str, tool: str, arguments: Mapping[str, Any], emulated: Emulated) -> dict[str, Any]:
    emulated.seconds = 0.0
    start = time.perf_counter()
    answer = requests.post(f"{url}/tools/{tool}", json=arguments, headers=_HEADERS, timeout=60)
    return {"seconds": time.perf_counter() - start, "emulator": emulated.seconds, "failed": not answer.ok}


def measure(url: str, size: int, emulated: Emulated) -> dict[str, dict[str, float]]:
    """Load and search; per tool what its calls came to, in seconds."""
    facts = list(islice(sentences(), size))
    calls = [facts[start : start + _FACTS_A_CALL] for start in range(0, size, _FACTS_A_CALL)]
    made = {
        "memory_add": [
            _call(url, "memory_add", {"facts": one}, emulated) for one in track(calls, "adding", console=_progress())
        ],
        "memory_search": [
            _call(url, "memory_search", {"query": f"Who {fact.split(' ', 1)[1]}"}, emulated)
            for fact in track(facts[:_SEARCHES], "searching", console=_progress())
        ],
    }
    return {tool: _summary(calls) for tool, calls in made.items()}


def _progress() -> Console:
    return Console(stderr=True)


def _summary(calls: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    longest = max(calls, key=lambda call: call["seconds"])
    return {
        "calls": len(calls),
        "failed": sum(call["failed"] for call in calls),
        "longest_seconds": round(longest["seconds"], 2),
        "of_that_emulator": round(longest["emulator"], 2),
        "longest_without_emulator": round(max(call["seconds"] - call["emulator"] for call in calls), 2),
    }


def main(given: Sequence[str] | None = None) -> None:
    """Load and search one scope of a service started for it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description="Load a large memory at once.")
    parser.add_argument("--size", type=int, default=10_000, help="facts (%(default)s)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(given)
    emulated = Emulated()
    timed = store.endpoint(lambda application: store.one_at_a_time(emulated.timed(application)))
    with timed, running() as service, warnings_only():
        report = measure(service.url, options.size, emulated)
    if options.json:
        print(json.dumps(report))
        return
    table = Table("", *report, title=f"{options.size:,} facts at once")
    for name in next(iter(report.values())):
        table.add_row(name.replace("_", " "), *(str(one[name]) for one in report.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
