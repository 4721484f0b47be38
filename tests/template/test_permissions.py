"""Each role allows the calls that its function's tools make, and no others."""

from collections.abc import Iterator
from typing import Any

import pytest
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope
from memtools.tools.memory import Memory

from local.template import Template
from tests.calls import Caller
from tests.template.test_template import actions, statements

# A read of a document that is not there asks for it, to be told so (404 in the place of 403). No call shows that.
TELLS_MISSING = "s3:ListBucket"
DATA = ("dynamodb:", "s3:")


class Recorder:
    """What the calls of a function need, as IAM names it."""

    def __init__(self) -> None:
        self.function = ""
        self.needed: dict[str, set[str]] = {}

    def note(self, model: Any, params: Any, **_: Any) -> None:
        self.needed.setdefault(self.function, set()).update(self._actions(model.name, params))

    @staticmethod
    def _actions(operation: str, params: Any) -> Iterator[str]:
        query = params.get("query_string") or {}
        match operation:
            case "TransactWriteItems":
                body = params["body"].decode()
                kinds = {"Update": "UpdateItem", "Put": "PutItem", "ConditionCheck": "ConditionCheckItem"}
                yield from (f"dynamodb:{action}" for kind, action in kinds.items() if f'{{"{kind}": ' in body)
            case "GetObject":
                yield "s3:GetObjectVersion" if "versionId" in query else "s3:GetObject"
                yield TELLS_MISSING
            case "ListObjectVersions":
                yield "s3:ListBucketVersions"
            case "PutObject":
                yield "s3:PutObject"
            case _:
                yield f"dynamodb:{operation}"


@pytest.fixture
def needed(moto_memory: Memory, scope: Scope) -> dict[str, set[str]]:
    """The permissions that a run of all tools needs, by function."""
    recorder = Recorder()
    for client in (moto_memory.traces._client, moto_memory.personas._client):  # type: ignore[attr-defined]
        client.meta.events.register("before-call", recorder.note)
    ana = Caller(moto_memory, scope)

    def call(tool: str, **arguments: Any) -> Any:
        recorder.function = TOOLS[f"memory_{tool}"].function
        return getattr(ana, tool)(**arguments)

    one, two = (item["id"] for item in call("add", facts=["one", "two"])["saved"])
    call("update", traceId=two, content="held")
    call("add", facts=["held"])
    call("add", facts=["two", "new"])
    call("search", query="one")
    call("list")
    call("delete", traceId=one)
    call("add", facts=["one"])
    call("restore", traceId=two, version=1)
    call("history", traceId=one)
    call("merge", traceIds=[one, two])
    call("unmerge", survivorId=one)
    call("read")
    call("edit", action="add", text="x")
    call("edit", action="replace", text="x", with_="y")
    call("edit", action="undo")
    call("history", target="self")
    return recorder.needed


def test_a_role_allows_what_its_function_needs_and_nothing_else(needed: dict[str, set[str]], moto: Template) -> None:
    assert set(needed) == {"search", "add", "edit", "merge"}
    for function, calls in needed.items():
        allowed = {
            action
            for statement in statements(f"{function.capitalize()}Role")
            for action in actions(statement)
            if action.startswith(DATA)
        }
        assert allowed == calls, function
