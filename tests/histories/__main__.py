"""``python -m tests.histories [--store file|moto|ministack|all] [--rounds N] [--calls N] [--seed N]``."""

import argparse
import sys
import time
from collections.abc import Mapping

from memtools.domain.scope import Scope

from tests.histories.checker import Verdict, check, story_of
from tests.histories.play import play
from tests.races.command import STORES

# Seconds by which the clock of each process is wrong: another one in each round.
SKEWS = [(0.0, -1.0, 240.0, -3600.0), (-240.0, 3600.0, 1.0, 0.0), (3600.0, -3600.0, 30.0, -30.0)]
_SHOWN = 3
_WIDTH = 400


def run_on(settings: Mapping[str, str], rounds: int, calls: int, seed: int) -> tuple[Verdict, str]:
    """Play and check histories; the verdict on all, and the summary in a line."""
    whole, events, stopped, killed = Verdict(), 0, 0, 0
    for number in range(rounds):
        scope = Scope(f"histories-{seed + number}", "ana")
        history = play(scope, SKEWS[number % len(SKEWS)], settings, calls=calls, seed=seed + number)
        verdict = check(history.events)
        for problem in [*verdict.lost, *verdict.untrue][:_SHOWN]:
            print(
                "\n    ".join([f"  {problem[:_WIDTH]}", *(one[:_WIDTH] for one in story_of(problem, history.events))])
            )
        whole.checks += verdict.checks
        whole.lost += verdict.lost
        whole.untrue += verdict.untrue
        events += len(history.events)
        stopped += history.stopped
        killed += history.killed
    skewed = f"{min(map(min, SKEWS)):.0f} to {max(map(max, SKEWS)):.0f} s"
    return whole, (
        f"histories: {events} calls, {whole.checks} checks, lost: {len(whole.lost)}, untrue: {len(whole.untrue)},"
        f" skewed: {skewed}, stopped: {stopped}, killed: {killed}"
    )


def main() -> int:
    """Play histories on each store; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.histories", description="Histories of several processes.")
    parser.add_argument("--store", choices=[*STORES, "all"], default="all")
    parser.add_argument("--rounds", type=int, default=3, help="how many histories on each store")
    parser.add_argument("--calls", type=int, default=120, help="how many calls each process makes in a history")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong = False
    for name in STORES if given.store == "all" else [given.store]:
        began = time.monotonic()
        with STORES[name]() as settings:
            verdict, line = run_on(settings, given.rounds, given.calls, given.seed)
        print(f"{name} ({time.monotonic() - began:.0f} s)")
        print(line, flush=True)
        wrong = wrong or bool(verdict.lost or verdict.untrue)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
