"""What a cold start pays before its first call: importing a handler, which makes its clients.

    python -m benchmarks.imports [--json]

It is told in terms of what no function that uses both stores can avoid: ``import boto3`` and the two clients. Exits
non-zero where a handler costs more than 1.45 times that, or where it loads numpy or the model before a call needs them.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from rich.console import Console
from rich.progress import track

from local.template import Template

LIMIT: Final = 1.45
_ROUNDS = 11
_FUNCTION = "SearchFunction"
_LOADED_LATER = ("numpy", "memtools_model")

_TIMED = """
import json, sys, time
start = time.perf_counter()
{work}
elapsed = (time.perf_counter() - start) * 1000
print(json.dumps({{"ms": elapsed, "loaded": [name for name in {later!r} if name in sys.modules]}}))
"""
# The clients are made as memtools.wiring makes them.
_BOTO3 = """
import boto3
from botocore.config import Config
config = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
session = boto3.session.Session()
clients = [session.client(name, config=config) for name in ("dynamodb", "s3")]
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One import in a process of its own."""

    milliseconds: float
    loaded: list[str]


def run(work: str, environment: Mapping[str, str]) -> Run:
    """Do ``work`` in a fresh interpreter, timed from within: starting Python itself is not counted."""
    program = _TIMED.format(work=work.strip(), later=_LOADED_LATER)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"The import failed:\n{done.stderr}")
    told = json.loads(done.stdout.splitlines()[-1])
    return Run(told["ms"], told["loaded"])


def _environment(template: Template) -> dict[str, str]:
    """The template's environment, and credentials that open nothing."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}
    stand_in = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none", "AWS_DEFAULT_REGION": "us-east-1"}
    code = str(template.functions[_FUNCTION].code)
    return {**ours, **template.environment, **stand_in, "PYTHONPATH": code}


def measure(rounds: int = _ROUNDS) -> dict[str, Any]:
    """The medians, the two kinds of run taking turns so that a busy machine disturbs both alike."""
    template = Template()
    environment = _environment(template)
    works = {"handler": f"import {template.functions[_FUNCTION].module}", "boto3": _BOTO3}
    for work in works.values():  # fills the caches of the file system and of compiled modules
        run(work, environment)
    runs: dict[str, list[Run]] = {name: [] for name in works}
    for _ in track(range(rounds), "Importing", console=Console(stderr=True), transient=True):
        for name, work in works.items():
            runs[name].append(run(work, environment))
    handler, boto3 = (median(one.milliseconds for one in runs[name]) for name in works)
    return {
        "handler_ms": round(handler, 1),
        "boto3_ms": round(boto3, 1),
        "ratio": round(handler / boto3, 3),
        "limit": LIMIT,
        "loaded_too_early": sorted({name for one in runs["handler"] for name in one.loaded}),
    }


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; 0 where all is within the limits."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.imports", description="Measure the import of a handler."
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(given)
    report = measure()
    if options.json:
        print(json.dumps(report))
    else:
        print(f"importing the search handler, with its clients  {report['handler_ms']:7.1f} ms")
        print(f"importing boto3 and making the same clients     {report['boto3_ms']:7.1f} ms")
        print(f"ratio {report['ratio']:.2f}, at most {LIMIT}")
    if report["loaded_too_early"]:
        print(f"loaded before a call needs it: {', '.join(report['loaded_too_early'])}", file=sys.stderr)
    return int(report["ratio"] > LIMIT or bool(report["loaded_too_early"]))


if __name__ == "__main__":
    sys.exit(main())
