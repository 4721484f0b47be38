"""Replies from JSON: the type hints of a dataclass say how each of its fields is decoded."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from types import NoneType
from typing import Any, Self, get_args, get_origin, get_type_hints


class Decoded:
    """A dataclass that is made from JSON. Names on the wire are in camelCase; absent values keep their defaults."""

    __slots__ = ()

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Self:
        """The reply as it came over the wire, typed."""
        kind: Any = cls  # mypy takes no class of dataclasses for hashable
        return cls(**{field: decode(reply[name]) for field, name, decode in _decoders(kind) if name in reply})


@cache
def _decoders(kind: Any) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Each field's name, its name on the wire, and what decodes its value."""
    hints = get_type_hints(kind)
    return [(field.name, _camel(field.name), _decoder(hints[field.name])) for field in fields(kind)]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _decoder(kind: Any) -> Callable[[Any], Any]:
    inner = [part for part in get_args(kind) if part is not NoneType]
    if get_origin(kind) is list:
        decode = _decoder(inner[0])
        return lambda values: [decode(value) for value in values]
    if len(inner) == 1:  # an optional value
        return _decoder(inner[0])
    if kind is datetime:
        return datetime.fromisoformat
    return kind.of if isinstance(kind, type) and issubclass(kind, Decoded) else lambda value: value
