"""``python -m tests.faults``: the whole matrix, and its tally."""

import argparse
import sys

from local import store
from local.template import Template
from tests.faults.inject import without_pauses
from tests.faults.matrix import run_matrix


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("tools", nargs="*", help="only the scenarios of these tools, such as search and list")
    tools = parser.parse_args().tools
    template = Template()
    with store.endpoint(), without_pauses():
        store.create(template)
        tally = run_matrix(template, tools=tools)
    for kind, found in tally.problems.items():
        for problem in found[:10]:
            print(f"{kind}: {problem}")
    print(tally)
    return 1 if tally.skipped or any(tally.problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
