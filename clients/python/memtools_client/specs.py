"""What a model reads about each tool, for frameworks that give tools to models."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _by_name() -> dict[str, dict[str, Any]]:
    tools: list[dict[str, Any]] = json.loads(files(__package__).joinpath("tools.json").read_text("utf-8"))
    return {tool["name"]: tool for tool in tools}


def specs(only: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """``name``, ``description`` and ``input_schema`` of all tools, or of those in ``only``, in its order.

    Raises ValueError for a name that no tool has.
    """
    tools = _by_name()
    names = tools if only is None else only
    if unknown := [name for name in names if name not in tools]:
        raise ValueError(f"There is no tool {unknown[0]}; there are {', '.join(tools)}.")
    return [tools[name] for name in names]
