"""Draws what `benchmarks.peers` measured: how much each system finds, and how long it takes in a large scope.

It runs in the peers' environment, as ``python -m benchmarks.peer_systems.plot FILE.png``, with the reports in JSON on
standard input.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure

_INK = "#24292f"
_FAINT = "#6e7781"
_GRID = "#d8dee4"
# Ours in a colour, the others in grey; the first corpus dark, the second light.
_COLOURS = {True: ("#0550ae", "#80b3f0"), False: ("#57606a", "#b7bfc8")}
_OURS = "memtools"
_BAR = 0.36
_AT_SIZE = "at_10000"
_NOTE = (
    "Same texts, questions and vectors for all. memtools' ranking was chosen by conversations of LoCoMo.\n"
    "Times are without the embedding, memtools' without its stores too."
)

Reports = Sequence[Mapping[str, Any]]


def draw(reports: Reports, path: str) -> None:
    """Both parts side by side, the systems in the same lines, the one that finds most at the top."""
    corpora = list(dict.fromkeys(one["corpus"] for one in reports))
    by_system = {name: [_of(reports, name, corpus) for corpus in corpora] for name in _ranked(reports)}
    rcParams.update({"font.size": 11, "text.color": _INK, "axes.labelcolor": _INK, "font.family": "DejaVu Sans"})
    figure = Figure(figsize=(12, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _recall(left, by_system, corpora)
    _speed(right, by_system)
    figure.supxlabel(_NOTE, fontsize=10, color=_FAINT, x=0.99, ha="right", multialignment="right")
    figure.savefig(path, dpi=150, facecolor="white")


def _ranked(reports: Reports) -> list[str]:
    """The systems' names, the least recall first: that is how lines are counted from below."""
    names = dict.fromkeys(one["system"] for one in reports)
    return sorted(names, key=lambda name: sum(one["recall@10"] for one in reports if one["system"] == name))


def _of(reports: Reports, system: str, corpus: str) -> Mapping[str, Any]:
    return next(one for one in reports if (one["system"], one["corpus"]) == (system, corpus))


def _recall(axes: Any, by_system: Mapping[str, Reports], corpora: Sequence[str]) -> None:
    """A bar a corpus for each system."""
    axes.set_title("Found: recall@10 on LoCoMo", loc="left", weight="bold", fontsize=13)
    for line, (name, reports) in enumerate(by_system.items()):
        for place, (corpus, one) in enumerate(zip(corpora, reports, strict=True)):
            height = line + _BAR * (0.5 - place)
            value = one["recall@10"]
            colour = _COLOURS[name == _OURS][place]
            axes.barh(height, value, _BAR * 0.92, color=colour)
            axes.text(value + 0.01, height, f"{value:.2f} {corpus}", va="center", fontsize=10, color=_INK)
    axes.set_yticks(range(len(by_system)), [fill(name, 16) for name in by_system])
    axes.set_xlim(0, 1)
    _tidy(axes)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)


def _speed(axes: Any, by_system: Mapping[str, Reports]) -> None:
    """A point a system, of its slower corpus."""
    axes.set_title("A search among 10,000 traces (median)", loc="left", weight="bold", fontsize=13)
    values = [max(one[_AT_SIZE]["search_ms_p50"] for one in reports) for reports in by_system.values()]
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 2, max(values) * 6)
    for line, (name, value) in enumerate(zip(by_system, values, strict=True)):
        colour = _COLOURS[name == _OURS][0]
        axes.plot([axes.get_xlim()[0], value], [line, line], color=_GRID, linewidth=2, zorder=1)
        axes.scatter([value], [line], s=90, color=colour, zorder=2)
        axes.annotate(_told(value), (value, line), xytext=(10, 0), textcoords="offset points", va="center", color=_INK)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} ms")
    _tidy(axes)


def _told(milliseconds: float) -> str:
    """With few figures: other machines have other numbers."""
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _tidy(axes: Any) -> None:
    axes.tick_params(length=0, colors=_FAINT, which="both")
    axes.tick_params(axis="y", labelsize=12, labelcolor=_INK)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(_GRID)


if __name__ == "__main__":
    draw(json.load(sys.stdin), sys.argv[1])
