"""``python -m tests.durable [--kills N] [--seed N]``: processes that write to one file, killed at any moment.

Three processes with eight writers between them; all that they were told has to be there, nothing by halves, and the
file whole. Prints the verdict; exits non-zero where anything is wrong.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.durable.kills import run

_SHOWN = 10


def main() -> int:
    """Kill processes; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.durable", description="Killed in the middle of a write.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="another one kills at other moments")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder) / "memory.db", given.kills, given.seed)
    for one in report.findings[:_SHOWN]:
        print(f"  {one.kind}: {one.what}")
    print(report)
    return int(not report.passed)


if __name__ == "__main__":
    sys.exit(main())
