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

Sides = dict[str, replies.Replies]
_LAYER = "MemoryLayer"
_KILOBYTE = 1_000
_MOST_KILOBYTES = 120_000


def _sizes_are_right(stack: Stack) -> bool:
    """Print the sizes; whether the layer keeps to its limit."""
    sizes = stack.sizes()
    print("unzipped, kB:", ", ".join(f"{name} {size / _KILOBYTE:,.1f}" for name, size in sizes.items()))
    print(f"the layer may have {_MOST_KILOBYTES:,}", flush=True)
    return sizes[_LAYER] <= _MOST_KILOBYTES * _KILOBYTE


def _answered(ask: replies.Ask) -> Sides:
    return {
        "events": replies.as_they_are(ask),
        "the same, about memories that are there": replies.about_what_is_there(ask),
    }


def _replies_are_right(stack: Stack) -> bool:
    """Print how many replies of the deployed functions are those of the local service, and each that is not."""
    with stack.deployed() as (address, outputs):
        deployed = _answered(replies.deployed(address, outputs))
    with replies.local() as ask:
        local = _answered(ask)
    equal = [_compared(name, local[name], deployed[name]) for name in local]
    refused = replies.refused([*deployed.values()][-1])
    print(f"of these refused: {', '.join(refused) or 'none'}")
    return all(equal) and not refused


def _compared(name: str, local: replies.Replies, deployed: replies.Replies) -> bool:
    different = replies.differences(local, deployed)
    print(f"{name}: {len(local)}, equal: {len(local) - len(different)}")
    for event, pair in different.items():
        print(f"  {event}")
        for side, reply in zip(("local", "deployed"), pair, strict=True):
            print(f"    {side}: {json.dumps(reply, ensure_ascii=False)}")
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
    return 0 if _replies_are_right(stack) and small else 1


if __name__ == "__main__":
    sys.exit(main())
