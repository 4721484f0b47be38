"""``python -m tests.built [--if-possible]``: what `sam build` makes, its sizes, and whether it answers as it should.

Deploys it to ministack, sends every event of events/ through Lambda's API, and compares the replies with those of the
local service. Exits non-zero where any differs, or where the layer is too large. With --if-possible a machine that
cannot build or run it is no failure, and the reason is printed.
"""

import argparse
import json
import sys

from tests.built import replies
from tests.built.stack import Stack, hindrance, interpreter

_LAYER = "MemoryLayer"
_MEGABYTE = 1_000_000
_MOST_MEGABYTES = 120


def _sizes_are_right(stack: Stack) -> bool:
    """Print the sizes; whether the layer keeps to its limit."""
    sizes = stack.sizes()
    for name, size in sizes.items():
        limit = f" (at most {_MOST_MEGABYTES})" if name == _LAYER else ""
        print(f"{name}: {size / _MEGABYTE:.3f} MB unzipped{limit}", flush=True)
    return sizes[_LAYER] <= _MOST_MEGABYTES * _MEGABYTE


def _replies_are_equal(stack: Stack) -> bool:
    """Print how many replies of the deployed functions are those of the local service, and each that is not."""
    with stack.deployed() as (address, outputs):
        theirs = replies.all_replies(replies.deployed(address, outputs))
    with replies.local() as ask:
        ours = replies.all_replies(ask)
    different = replies.differences(ours, theirs)
    print(f"events: {len(ours)}, equal: {len(ours) - len(different)}")
    for name, (local, deployed) in different.items():
        print(f"  {name}\n    local:    {json.dumps(local, ensure_ascii=False)}")
        print(f"    deployed: {json.dumps(deployed, ensure_ascii=False)}")
    return not different


def main() -> int:
    """Build, deploy, compare; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.built", description="What sam build makes, run.")
    parser.add_argument("--if-possible", action="store_true", help="do nothing, and say so, where it cannot be run")
    given = parser.parse_args()
    python = interpreter()
    reason = hindrance()
    if reason or python is None:
        print(f"The built functions were not tested: {reason}.")
        return 0 if given.if_possible else 1
    stack = Stack(python)
    stack.build()
    small = _sizes_are_right(stack)
    return 0 if _replies_are_equal(stack) and small else 1


if __name__ == "__main__":
    sys.exit(main())
