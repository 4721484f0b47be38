"""A call sent again with its key, in each envelope that has a place for one."""

from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools_cli.service.http import Context

from local.invoke import client_context
from local.service import Service
from tests.functions.wrapping import ENVELOPES


def undo(running: Service, envelope: str, scope: Scope, key: str) -> dict[str, Any]:
    event, context = ENVELOPES[envelope].wrap("memory_edit", {"action": "undo"}, scope)
    if envelope == "direct":
        event["context"]["idempotencyKey"] = key
    elif envelope == "agentcore":
        custom = context.client_context.custom
        custom["bedrockAgentCorePropagatedHeaders"] |= {"X-Memory-Idempotency-Key": key}
        context = client_context(custom)
    else:
        event["headers"]["idempotency-key"] = key
    reply = running.handlers["EditFunction"](event, context or Context("request"))
    return ENVELOPES[envelope].read(reply)


@pytest.mark.parametrize("envelope", ["http", "rest", "direct", "agentcore"])
def test_a_call_sent_again_has_one_effect(running: Service, envelope: str, post: Any, scope: Scope) -> None:
    for text in "abc":
        assert post("memory_edit", action="add", text=text).ok
    told = [undo(running, envelope, scope, key) for key in ("first", "first", "second")]
    assert [one["text"] for one in told] == ["- a\n- b\n", "- a\n- b\n", "- a\n"]
    assert told[0] == told[1]
