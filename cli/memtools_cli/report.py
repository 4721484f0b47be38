"""What an import tells: what becomes of what, and what is left out and why."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from memtools_cli.formats.plan import Plan

_SHOWN: Final = 20


def becomes(plan: Plan) -> list[dict[str, Any]]:
    """What becomes of what, and how often; what is left out, by reason."""
    taken = [{"what": of, "becomes": to, "count": number} for (of, to), number in plan.taken.items()]
    left = [{"what": "left out", "becomes": why, "count": number} for why, number in _reasons(plan).items()]
    return taken + left


def left_out_of(plan: Plan) -> dict[str, Any]:
    """All that is left out, counted by reason, and what was not quite said and is understood so."""
    return {
        "leftOut": [str(one) for one in plan.left_out],
        "leftOutByReason": _reasons(plan),
        "understood": plan.understood,
    }


def shortened(result: Mapping[str, Any]) -> dict[str, Any]:
    """For people: the first of the things that are left out."""
    shown = dict(result)
    for name in ("leftOut", "understood"):
        some = shown.get(name, [])
        if len(some) > _SHOWN:
            shown[name] = [*some[:_SHOWN], f"and {len(some) - _SHOWN} more; --json has all"]
    return {name: value for name, value in shown.items() if value not in ([], {})}


def _reasons(plan: Plan) -> dict[str, int]:
    return dict(Counter(one.why for one in plan.left_out).most_common())
