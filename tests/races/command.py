"""``python -m tests.races [--store file|moto|ministack|all] [--rounds N] [--kind NAME]``: the races, on real stores.

For each store its name and one line of what was found; exits non-zero where anything was.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Final

from local import store
from local.template import Template
from tests.emulator import ministack_endpoint, settings_for
from tests.races.kinds import RACES
from tests.races.run import Report, run

Named = AbstractContextManager[Mapping[str, str]]
_ROUNDS = 3
_SHOWN = 10


@contextmanager
def all_clients_at(address: str) -> Iterator[None]:
    """Clients made inside, here and in processes started inside, go to this address."""
    with store.environment(settings_for(address)):
        os.environ.pop("AWS_PROFILE", None)
        yield


@contextmanager
def in_a_file() -> Iterator[Mapping[str, str]]:
    """A file of its own; the settings that name it."""
    with tempfile.TemporaryDirectory() as folder:
        yield {**Template({"Embedder": "none"}).environment, "STORE_ADDRESS": f"sqlite:{folder}/memory.db"}


@contextmanager
def emulated(endpoint: Callable[[], AbstractContextManager[str]]) -> Iterator[Mapping[str, str]]:
    """Table and bucket on an emulator; the settings that name them."""
    with endpoint() as address, all_clients_at(address):
        template = Template({"Embedder": "none"})
        store.create(template)
        yield template.environment


STORES: Final[dict[str, Callable[[], Named]]] = {
    "file": in_a_file,
    "moto": partial(emulated, store.moto_endpoint),
    "ministack": partial(emulated, ministack_endpoint),
}


def _run_on(name: str, rounds: int, kinds: list[str]) -> Report:
    with STORES[name]() as settings:
        return run(settings, rounds, kinds)


def main() -> int:
    """Run the races; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.races", description="Races on real stores.")
    parser.add_argument("--store", choices=[*STORES, "all"], default="all")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="how often each kind of race is run")
    parser.add_argument("--kind", choices=list(RACES), action="append", help="only this kind; may be repeated")
    given = parser.parse_args()
    wrong = False
    for name in STORES if given.store == "all" else [given.store]:
        began = time.monotonic()
        report = _run_on(name, given.rounds, given.kind or list(RACES))
        print(f"{name} ({time.monotonic() - began:.0f} s, unavailable: {report.unavailable})")
        print(report.line, flush=True)
        for where, finding in report.findings[:_SHOWN]:
            print(f"  {where}: {finding.kind}: {finding.what}")
        wrong = wrong or bool(report.findings)
    return int(wrong)
