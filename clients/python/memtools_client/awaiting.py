"""Blocking methods made awaitable, so that signatures and docstrings of the tools are written once."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Reply = TypeVar("Reply")


def awaitable(
    method: Callable[Concatenate[Any, Arguments], Reply],
) -> Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Reply]]:
    """The method for a class whose ``_ask`` is asynchronous: the same arguments, types and docstring."""

    @wraps(method)
    async def asking(self: Any, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Reply:
        asked: Any = method(self, *args, **kwargs)
        reply: Reply = await asked
        return reply

    return asking
