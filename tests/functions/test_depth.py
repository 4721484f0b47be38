"""How many files a reader has to open to follow a call: the files of the package that a warm call over HTTP enters."""

import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import memtools
import pytest
from memtools_cli.service.http import Context

from local.service import Service

PACKAGE = str(Path(memtools.__file__).parent)


def call(service: Service, user: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """The reply to the call, made as API Gateway hands it over for a signed caller."""
    event = {
        "rawPath": f"/tools/{tool}",
        "headers": {"content-type": "application/json", "x-memory-agent": "depth", "x-memory-user": user},
        "requestContext": {"http": {"method": "POST"}, "authorizer": {"iam": {"userArn": "arn"}}, "requestId": "1"},
        "body": json.dumps(arguments),
    }
    function = {"memory_add": "AddFunction", "memory_edit": "EditFunction", "memory_search": "SearchFunction"}
    reply = service.handlers[function.get(tool, "MergeFunction")](event, Context("1"))
    assert reply["statusCode"] == 200, reply["body"]
    body: dict[str, Any] = json.loads(reply["body"])
    return body


def entered(service: Service, user: str, tool: str, **arguments: Any) -> list[str]:
    """The package's files in which the call runs a function, in the order in which it first does."""
    found: dict[str, None] = {}

    def note(frame: FrameType, what: str, _: Any) -> None:
        if what == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            found.setdefault(frame.f_code.co_filename.removeprefix(PACKAGE + "/"), None)

    sys.setprofile(note)
    try:
        call(service, user, tool, **arguments)
    finally:
        sys.setprofile(None)
    return list(found)


@pytest.mark.parametrize(("tool", "most"), [("memory_edit", 15), ("memory_merge", 20), ("memory_search", 20)])
def test_a_warm_call_enters_few_files(running: Service, tool: str, most: int) -> None:
    """A newcomer who follows one call from the handler to the store reads no more files than that."""
    facts = [f"Ana drinks {drink} at breakfast" for drink in ("tea", "cocoa", "juice", "milk")]
    ids = [one["id"] for one in call(running, tool, "memory_add", facts=facts, tags=["food"])["saved"]]
    calls: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "memory_edit": ({"action": "add", "text": "be brief"}, {"action": "replace", "text": "brief", "with": "kind"}),
        "memory_merge": ({"traceIds": ids[:2]}, {"traceIds": ids[2:]}),
        "memory_search": ({"query": "tea"}, {"query": "What does Ana drink at breakfastt?", "tags": ["food"]}),
    }
    warm, asked = calls[tool]
    call(running, tool, tool, **warm)
    files = entered(running, tool, tool, **asked)
    print(f"{tool}: {len(files)} files: {', '.join(files)}")
    assert len(files) <= most, files
