"""AWS calls as the client sees them: how many, how many one after the other, and what they are billed as."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

_READ_UNIT = 4096  # bytes of a strongly consistent read
_WRITE_UNIT = 1024


def item_bytes(item: Mapping[str, Mapping[str, Any]]) -> int:
    """The size of a DynamoDB item by its rules: names and values in UTF-8, numbers and containers about."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    sizes: dict[str, Callable[[], int]] = {
        "S": lambda: len(content.encode()),
        "N": lambda: ceil(len(content.strip("-").replace(".", "")) / 2) + 1,
        "B": lambda: len(content),
        "L": lambda: 3 + sum(1 + _value_bytes(one) for one in content),
        "M": lambda: 3 + len(content) + item_bytes(content),
        "SS": lambda: sum(_value_bytes({"S": one}) for one in content),
    }
    return sizes[kind]() if kind in sizes else 1


@dataclass
class Counted:
    """What the calls of watched clients come to since `reset`."""

    calls: list[tuple[str, float, float]] = field(default_factory=list)
    sent: int = 0
    received: int = 0
    read_units: int = 0
    write_units: int = 0

    def watch(self, client: Any) -> None:
        """Count the calls of ``client`` too."""
        client.meta.events.register("before-call", self._begin)
        client.meta.events.register("before-send", self._send)
        client.meta.events.register("after-call", self._end)

    def reset(self) -> None:
        """Begin again."""
        self.calls.clear()
        self.sent = self.received = self.read_units = self.write_units = 0

    @property
    def round_trips(self) -> int:
        """How often one waited for an answer: calls that overlap in time count once."""
        number, until = 0, 0.0
        for _, start, end in sorted(self.calls, key=lambda call: call[1]):
            number += start >= until
            until = max(until, end)
        return number

    def _begin(self, context: dict[str, Any], **_: Any) -> None:
        context["begun"] = time.perf_counter()

    def _send(self, request: Any, **_: Any) -> None:
        self.sent += len(request.body or b"")

    def _end(self, model: Any, parsed: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
        self.calls.append((model.name, context["begun"], time.perf_counter()))
        headers = parsed.get("ResponseMetadata", {}).get("HTTPHeaders", {})
        self.received += int(headers.get("content-length", 0))
        if model.name == "Query":
            self.read_units += max(1, ceil(sum(map(item_bytes, parsed["Items"])) / _READ_UNIT))
        elif model.name == "UpdateItem":
            self.write_units += ceil(item_bytes(parsed["Attributes"]) / _WRITE_UNIT)
