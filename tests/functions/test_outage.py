"""When AWS does not answer: told as unavailable, in our words, within the function's time."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from memtools.wiring import backend_of

from local import store
from local.service import load_handler
from local.template import Template

CALLS = {
    "SearchFunction": ("memory_search", {"query": "Zanzibar"}),
    "AddFunction": ("memory_add", {"facts": ["Zanzibar"]}),
    "EditFunction": ("memory_edit", {"action": "add", "text": "Zanzibar"}),
    "MergeFunction": ("memory_merge", {"traceIds": ["mt_1", "mt_2"]}),
}


@pytest.fixture
def handlers(moto: Template) -> Iterator[dict[str, Any]]:
    """The functions with an AWS at whose address nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        nowhere = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{held.getsockname()[1]}"}
        with store.environment({**moto.environment, **nowhere}):
            backend_of.cache_clear()
            yield {name: load_handler(function) for name, function in moto.functions.items()}
        backend_of.cache_clear()


@pytest.mark.parametrize("function", CALLS)
def test_an_outage_is_told_as_retryable_and_shows_nothing_of_aws(
    handlers: dict[str, Any], moto: Template, function: str, capfd: pytest.CaptureFixture[str]
) -> None:
    tool, arguments = CALLS[function]
    start = time.monotonic()
    event = {"tool": tool, "arguments": arguments, "context": {"agent": "a", "user": "u"}}
    error = handlers[function](event, None)["error"]
    assert time.monotonic() - start < 29
    assert (error["code"], error["retryable"]) == ("unavailable", True)
    shown = json.dumps(error) + capfd.readouterr().out
    for secret in (moto.table["Name"], moto.bucket["Name"], "127.0.0.1", "Traceback", "botocore", "Zanzibar"):
        assert secret not in shown
