"""Draws what `benchmarks.scale` measured: what a million searches cost, and how long one computes, by size.

It runs where matplotlib is, as ``python -m benchmarks.scaling.plot FILE.png``, with the reports in JSON on
standard input.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure

_INK = "#24292f"
_FAINT = "#6e7781"
_GRID = "#d8dee4"
_BLUE = "#0550ae"
_NOTE = "Prices of us-east-1, two round trips to DynamoDB taken as 5 ms each. Computing is without AWS and embedding."

Reports = Sequence[Mapping[str, Any]]


def draw(reports: Reports, path: str) -> None:
    """Both parts side by side, over the same sizes."""
    rcParams.update({"font.size": 11, "text.color": _INK, "axes.labelcolor": _INK, "font.family": "DejaVu Sans"})
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _line(left, reports, "usd_per_million", "A million searches cost", "${:.2f}")
    _line(right, reports, "warm_ms_p50", "A warm search computes (median)", "{:.1f} ms")
    figure.supxlabel(_NOTE, fontsize=10, color=_FAINT, x=0.99, ha="right")
    figure.savefig(path, dpi=150, facecolor="white")


def _line(axes: Any, reports: Reports, name: str, title: str, form: str) -> None:
    sizes = [one["traces"] for one in reports]
    values = [one[name] for one in reports]
    axes.set_title(title, loc="left", weight="bold", fontsize=13)
    axes.plot(sizes, values, color=_BLUE, linewidth=2, marker="o", markersize=7)
    for size, value in zip(sizes, values, strict=True):
        axes.annotate(form.format(value), (size, value), xytext=(0, 10), textcoords="offset points", ha="center")
    axes.set_xscale("log")
    axes.set_xlim(sizes[0] / 2, sizes[-1] * 2)
    axes.set_ylim(0, max(values) * 1.35)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("traces in the scope")
    axes.set_yticks([])
    axes.tick_params(length=0, colors=_FAINT)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(_GRID)


if __name__ == "__main__":
    draw(json.load(sys.stdin), sys.argv[1])
