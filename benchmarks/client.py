"""What the Python client costs its caller: bytes on disk, and the import, beside those of boto3.

    python -m benchmarks.client

Exits non-zero where it takes more than 15 MB, or more than 100 ms beside boto3.
"""

import os
import sys
from statistics import median
from typing import Final

from benchmarks.imports import run
from local.template import ROOT

_PACKAGE: Final = ROOT / "clients" / "python" / "memtools_client"
_MOST_MB: Final = 15
_MOST_MS: Final = 100
_ROUNDS: Final = 11
_WORKS: Final = {
    "boto3": "import boto3",
    # All that a caller comes to load, whichever way it calls.
    "both": "import boto3\nimport memtools_client, memtools_client.signing, memtools_client.invoke",
}


def milliseconds() -> dict[str, float]:
    """The median of each import, taking turns so that a busy machine disturbs both alike."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}
    environment = {**ours, "PYTHONPATH": str(_PACKAGE.parent)}
    for work in _WORKS.values():  # fills the caches of the file system and of compiled modules
        run(work, environment)
    rounds = [{name: run(work, environment).milliseconds for name, work in _WORKS.items()} for _ in range(_ROUNDS)]
    return {name: median(one[name] for one in rounds) for name in _WORKS}


def megabytes() -> float:
    """The package's own files; beside boto3 and what comes with it, it needs nothing."""
    files = [path for path in _PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sum(path.stat().st_size for path in files) / 1e6


def main() -> int:
    """Measure and print; 0 where both are within their limits."""
    took, size = milliseconds(), megabytes()
    more = took["both"] - took["boto3"]
    print(f"importing boto3                {took['boto3']:7.1f} ms")
    print(f"importing boto3 and the client {took['both']:7.1f} ms")
    print(f"ratio {took['both'] / took['boto3']:.2f}; {more:.1f} ms more, at most {_MOST_MS}")
    print(f"{size:.2f} MB beside boto3, at most {_MOST_MB}")
    return int(more > _MOST_MS or size > _MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
