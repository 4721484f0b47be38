"""Each role allows the calls that its function's tools make, and no others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from memtools.adapters.table.traces import ask_the_time
from memtools.adapters.titan import TitanEmbedder
from memtools.backend import Backend
from memtools.catalogue import TOOLS
from memtools.domain.scope import Scope

from local.template import Template
from tests.calls import Caller
from tests.template.test_template import actions, as_list, statements
from tests.titan import Titan, titan

# A read of a document that is not there asks for it, to be told so (404 in the place of 403). No call shows that.
TELLS_MISSING = "s3:ListBucket"
CALLED = ("dynamodb:", "s3:", "bedrock:")


class Recorder:
    """What the calls of a function need, as IAM names it; with objects, in which of the bucket's folders."""

    def __init__(self) -> None:
        self.function = ""
        self.needed: dict[str, set[str]] = {}

    def note(self, model: Any, params: Any, **_: Any) -> None:
        self.needed.setdefault(self.function, set()).update(self._actions(model.name, params))

    @staticmethod
    def _actions(operation: str, params: Any) -> Iterator[str]:
        query = params.get("query_string") or {}
        folder = " " + "".join(params["url_path"].split("/")[1:2])
        match operation:
            case "TransactWriteItems":
                body = params["body"].decode()
                kinds = {"Update": "UpdateItem", "Put": "PutItem", "ConditionCheck": "ConditionCheckItem"}
                yield from (f"dynamodb:{action}" for kind, action in kinds.items() if f'{{"{kind}": ' in body)
            case "GetObject":
                yield ("s3:GetObjectVersion" if "versionId" in query else "s3:GetObject") + folder
                yield TELLS_MISSING
            case "ListObjectVersions":
                yield "s3:ListBucketVersions"
            case "PutObject":
                yield "s3:PutObject" + folder
            case "InvokeModel":
                yield "bedrock:InvokeModel"
            case _:
                yield f"dynamodb:{operation}"


@pytest.fixture
def model() -> Iterator[Titan]:
    with titan() as running:
        yield running


@pytest.fixture
def needed(moto_memory: Backend, model: Titan, scope: Scope) -> dict[str, set[str]]:
    """The permissions that a run of all tools needs, by function, where Bedrock makes the embeddings."""
    recorder = Recorder()
    bedrock = model.client()
    for client in (moto_memory.traces._client, moto_memory.personas._client, bedrock):  # type: ignore[attr-defined]
        client.meta.events.register("before-call", recorder.note)
    ana = Caller(replace(moto_memory, embedder=TitanEmbedder(bedrock, "amazon.titan-embed-text-v2:0")), scope)

    def call(tool: str, key: str | None = None, **arguments: Any) -> Any:
        recorder.function = TOOLS[f"memory_{tool}"].function
        return getattr(replace(ana, key=key), tool)(**arguments)

    one, two = (item["id"] for item in call("add", facts=["one", "two"])["saved"])
    # Of the tools, only this one may write before it reads. So it may be the first to need the time.
    recorder.function = "add"
    ask_the_time(moto_memory.traces._client, moto_memory.traces._table)  # type: ignore[attr-defined]
    call("update", traceId=two, content="held")
    call("add", facts=["held"])
    # Sent again with its key, a call looks for what it did.
    for _ in range(2):
        call("add", key="add", facts=["two", "new"])
    # What another model embedded makes the next search fill gaps, and write a segment.
    recorder.function = "add"
    Caller(moto_memory, scope).add(facts=["three"])
    call("search", query="one")
    call("list")
    call("duplicates")
    call("delete", traceId=one)
    call("add", facts=["one"])
    call("restore", traceId=two, version=1)
    call("history", traceId=one)
    call("merge", traceIds=[one, two])
    call("unmerge", survivorId=one)
    call("read")
    call("edit", action="add", text="x")
    call("edit", action="replace", text="x", with_="y")
    call("edit", key="undo", action="undo")
    call("edit", action="add", text="later")
    call("edit", key="undo", action="undo")
    call("history", target="self")
    return recorder.needed


def folders(statement: Any) -> set[str]:
    """The folders of the bucket whose objects the statement is about; an empty text where it is about no objects."""
    places = [one["Fn::Sub"] for one in as_list(statement["Resource"]) if "Fn::Sub" in one]
    return {" " + one.split("/")[1] for one in places if one.startswith("${MemoryBucket.Arn}/")} or {""}


def test_a_role_allows_what_its_function_needs_and_nothing_else(needed: dict[str, set[str]], moto: Template) -> None:
    assert set(needed) == {"search", "add", "edit", "merge"}
    for function, calls in needed.items():
        allowed = {
            action + folder
            for statement in statements(f"{function.capitalize()}Role")
            for action in actions(statement)
            if action.startswith(CALLED)
            for folder in folders(statement)
        }
        assert allowed == calls, function
