"""The same call with the same key, sent several times at once: one effect, and one reply for all."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.calls import Caller

MANY = 8


def at_once(call: Callable[[], Any]) -> Any:
    """The reply that all of them got."""
    told: list[Any] = [None] * MANY
    start = threading.Barrier(MANY)

    def run(place: int) -> None:
        start.wait()
        told[place] = call()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(MANY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [told[0]] * MANY
    return told[0]


def world(ana: Caller) -> dict[str, dict[str, Any]]:
    """A memory in which each call could have a second effect, and the calls."""
    a, b, c, d, e = ana.remember("a", "b", "c", "d", "e")
    ana.merge(traceIds=[a, b])
    ana.merge(traceIds=[a, c])
    ana.update(traceId=e, content="other")
    for text in ("one", "two", "three"):
        ana.edit(action="add", text=text)
    return {
        "add": {"facts": ["new", "e", "other"]},
        "update": {"traceId": d, "content": "x"},
        "merge": {"traceIds": [d, e]},
        "unmerge": {"survivorId": a},
        "edit": {"action": "undo"},
    }


@pytest.mark.parametrize("tool", ["add", "update", "merge", "unmerge", "edit"])
def test_a_call_sent_many_times_at_once_has_one_effect(ana: Caller, bob: Caller, tool: str) -> None:
    """Afterwards the memory is as after one call: Bob's, who calls once."""
    many, once = world(ana)[tool], world(bob)[tool]
    at_once(lambda: getattr(ana.keyed("k"), tool)(**many))
    getattr(bob, tool)(**once)
    assert ana.all() == bob.all()
    assert ana.read(target="self")["text"] == bob.read(target="self")["text"]
    versions = [[one["version"] for one in who.list(limit=100)["results"]] for who in (ana, bob)]
    assert versions[0] == versions[1]
