"""What a model reads about each tool, for frameworks that hand tools to models."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _all() -> dict[str, dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(files(__package__).joinpath("tools.json").read_text("utf-8"))
    return {one["name"]: one for one in told}


def specs(only: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """``name``, ``description`` and ``input_schema`` of all tools, or of those named, which have to be known."""
    names = list(_all()) if only is None else list(only)
    if unknown := [name for name in names if name not in _all()]:
        raise ValueError(f"There is no tool {unknown[0]}; there are {', '.join(_all())}.")
    return [_all()[name] for name in names]
