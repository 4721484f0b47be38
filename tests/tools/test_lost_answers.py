"""A write took effect, its answer was lost, and boto3 sent it again: the call answers as if the first one had come."""

import json
import re
from typing import Any

import pytest

from tests.calls import Caller

TEXTS = ("known", "changed", "gone", "survivor", "source")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("add", {"facts": ["new", "known", "changed", "gone", "known", "other"]}),
    ("update", {"traceId": "<known>", "content": "x"}),
    ("delete", {"traceId": "<known>"}),
    ("restore", {"traceId": "<gone>"}),
    ("merge", {"traceIds": ["<known>", "<changed>"]}),
    ("unmerge", {"survivorId": "<survivor>"}),
    ("edit", {"action": "add", "text": "three"}),
    ("edit", {"action": "undo"}),
]


def prepared(who: Caller, arguments: dict[str, Any]) -> dict[str, Any]:
    """Remember a few things; the arguments with the ids of this memory."""
    names = dict(zip(TEXTS, who.remember(*TEXTS), strict=True))
    who.update(traceId=names["changed"], content="other")
    who.delete(traceId=names["gone"])
    who.merge(traceIds=[names["survivor"], names["source"]])
    for text in ("one", "two"):
        who.edit(action="add", text=text)
    text = json.dumps(arguments)
    for name, trace in names.items():
        text = text.replace(f"<{name}>", trace)
    given: dict[str, Any] = json.loads(text)
    return given


def comparable(reply: dict[str, Any]) -> str:
    """The reply without ids, times and the versions of documents, which differ between two memories."""
    text = json.dumps(reply)
    for differing in (
        r"mt_\w{32}(-\w{8})?",
        r"[0-9a-f-]{36}",
        r'"\d{4}-[^"]*Z"',
        r'(?<="version": )"\d+"',
        r"version \d+",
    ):
        text = re.sub(differing, "…", text)
    return re.sub(r'(?<="backTo": )"\d+"', "…", text)


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_whose_answer_was_lost_answers_as_if_it_had_come(
    ana: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch, call: tuple[str, dict[str, Any]], key: str | None
) -> None:
    tool, arguments = call
    expected = comparable(getattr(ana, tool)(**prepared(ana, arguments)))
    given = prepared(bob, arguments)
    for store, name in ((bob.memory.traces, "commit"), (bob.memory.personas, "write")):
        send = getattr(store, name)
        monkeypatch.setattr(store, name, lambda *sent, send=send, **more: [send(*sent, **more) for _ in range(2)][1])
    busy = bob.keyed(key) if key else bob
    assert comparable(getattr(busy, tool)(**given)) == expected
