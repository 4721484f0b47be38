"""``python -m tests.load [--clients 8] [--seconds 60] [--seed N]``: all tools at once, on the local service.

The service is started as its user does, with its memory in a file. Prints how long each tool took, which is no test,
and what was wrong with what the clients were told, which ends with a non-zero status.
"""

import argparse
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import quantiles

from local.template import ROOT
from tests.memories import over_file
from tests.races.state import Kind
from tests.served import local_service

sys.path.append(str(ROOT / "clients" / "python"))  # a package of its own, which is not installed here
from tests.load.run import MOST_CALLS, Log, findings, put_under_load

_SHOWN = 10


def table(log: Log) -> str:
    """A line a tool: calls, told conflicts, and milliseconds."""
    conflicts: Counter[str] = Counter()
    for (tool, code), count in log.refused().items():
        conflicts[tool] += count * (code == "conflict")
    lines = [f"{'':16}{'calls':>8}{'conflicts':>11}{'p50 ms':>9}{'p95 ms':>9}"]
    for tool, seconds in sorted(log.seconds.items()):
        parts = quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else seconds * 19
        p50, p95 = (1000 * parts[place] for place in (9, 18))
        lines.append(f"memory_{tool:9}{len(seconds):8}{conflicts[tool]:11}{p50:9.1f}{p95:9.1f}")
    return "\n".join(lines)


def main() -> int:
    """Put the service under load; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description="All tools at once.")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="another one makes other calls")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, local_service(Path(folder)) as service:
        log = put_under_load(service.url, given.clients, given.seconds, MOST_CALLS, given.seed)
        print(table(log), flush=True)
        open_memory = partial(over_file, Path(folder) / "memory.db", lambda: datetime.now(UTC))
        wrong = list(findings(service.url, open_memory, log))
    for one in wrong[:_SHOWN]:
        print(f"  {one.kind}: {one.what}")
    calls, refused = sum(map(len, log.seconds.values())), log.refused()
    conflicts = sum(count for (_, code), count in refused.items() if code == "conflict")
    kinds = ", ".join(f"{kind}: {sum(one.kind is kind for one in wrong)}" for kind in Kind)
    others = refused.total() - conflicts
    print(f"{given.clients} clients, calls: {calls}, conflicts: {conflicts}, other errors: {others}, {kinds}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
