"""Replies that would be too large for their envelope."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.catalogue import TOOLS
from memtools.errors import Conflict, InvalidArguments, NotFound, ToolError
from memtools.handler import encoded
from memtools.tools.add import Added
from memtools.tools.duplicates import Group, Groups
from memtools.tools.edit import Edited
from memtools.tools.history import PastVersion, Versions
from memtools.tools.list import Listed
from memtools.tools.read import DocumentText
from memtools.tools.search import Found, Hit
from memtools.tools.tool import Memory, MemoryText, Reply
from memtools.tools.update import Updated
from memtools.transports import agentcore, bedrock_functions, bedrock_openapi, direct, http

EVENTS: dict[Any, dict[str, Any]] = {
    bedrock_functions: {"actionGroup": "g", "function": "f"},
    bedrock_openapi: {"actionGroup": "g", "apiPath": "/f", "httpMethod": "POST"},
}
TEXT = "é" * 1000
LIMIT = bedrock_functions.REPLY_LIMIT
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def size(reply: Any) -> int:
    return len(json.dumps(reply, ensure_ascii=False).encode(errors="surrogatepass"))


def through(transport: Any, outcome: Reply | ToolError, **more: Any) -> dict[str, Any]:
    return encoded(transport, EVENTS.get(transport, {}) | more, outcome)


def body_of(reply: Any) -> dict[str, Any]:
    """What Bedrock's reply says."""
    body: dict[str, Any] = json.loads(reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"])
    return body


def said(outcome: Reply | ToolError) -> dict[str, Any]:
    """What Bedrock's reply to the outcome says; it always fits."""
    reply = through(bedrock_functions, outcome)
    assert size(reply) <= LIMIT
    return body_of(reply)


def memory(name: str = "mt_1", content: str = TEXT, **more: Any) -> dict[str, Any]:
    fields = {"tags": [], "version": 3, "created_at": NOW, "updated_at": NOW, "retrieval_count": 0}
    return {"id": name, "content": content, **fields, **more}


def found(count: int, **more: Any) -> Found:
    return Found(results=[Hit(**memory(f"mt_{number}"), score=0.5) for number in range(count)], **more)


def listed(count: int) -> Listed:
    return Listed(results=[Memory(**memory(f"mt_{number}")) for number in range(count)], next_cursor="c")


def past(version: int, content: str = TEXT) -> PastVersion:
    return PastVersion(version=version, change="updated", at=NOW, content=content)


def texts(count: int) -> list[MemoryText]:
    return [MemoryText(id=f"mt_{number}", content=TEXT) for number in range(count)]


def test_what_fits_is_left_alone() -> None:
    assert said(listed(9)) == listed(9).as_dict()


def test_a_search_loses_its_least_relevant_hits() -> None:
    shorter = said(found(30, note="Searched by words only."))
    kept = len(shorter["results"])
    assert shorter["results"] == found(30).as_dict()["results"][:kept]
    assert (kept > 8, shorter["leftOut"]) == (True, 30 - kept)
    assert shorter["note"].startswith(f"Searched by words only. The {30 - kept} least relevant")
    assert "narrow" in shorter["note"]


def test_as_much_as_fits_is_kept() -> None:
    """One more result would have been too many."""
    shorter = said(found(30))
    more = found(30).without_last(shorter["leftOut"] - 1).as_dict()
    assert size(bedrock_functions.encode(EVENTS[bedrock_functions], more)) > LIMIT


def test_a_list_loses_its_cursor_so_that_nothing_is_skipped() -> None:
    shorter = said(listed(30))
    assert "nextCursor" not in shorter
    assert f"limit {len(shorter['results'])}" in shorter["note"]


def test_a_history_loses_its_oldest_versions() -> None:
    versions = Versions(versions=[past(number) for number in range(30, 0, -1)])
    shorter = said(versions)
    assert shorter["versions"] == versions.as_dict()["versions"][: len(shorter["versions"])]
    assert "oldest" in shorter["note"]


def test_groups_of_duplicates_are_left_out_whole() -> None:
    """FAULTS A9: ten groups of long facts came back as no groups at all."""
    pair = [Memory(**memory("mt_1", "x" * 1500)), Memory(**memory("mt_2", "y" * 1500))]
    groups = Groups(groups=[Group(score=0.9, trace_ids=["mt_1", "mt_2"], traces=pair)] * 10)
    shorter = said(groups)
    assert len(shorter["groups"]) > 5
    assert len(shorter["groups"]) + shorter["leftOut"] == 10
    assert shorter["groups"][0] == groups.as_dict()["groups"][0]
    assert "least similar" in shorter["note"]


def test_a_shortened_add_says_how_much_it_saved() -> None:
    shorter = said(Added(message="Saved 30 fact(s) to memory.", saved=texts(30), duplicates=texts(5)))
    assert shorter["message"] == "Saved 30 fact(s) to memory."
    assert shorter["duplicates"] == []
    assert shorter["leftOut"] == 35 - len(shorter["saved"])
    long = MemoryText(id="1", content=TEXT * 20)
    shorter = said(Added(message="Saved 1 fact(s) to memory.", saved=[long], duplicates=[]))
    assert (shorter["saved"], shorter["duplicates"], shorter["leftOut"]) == ([], [], 1)


LONG = TEXT * 20


@pytest.mark.parametrize(
    ("reply", "details"),
    [
        (DocumentText(text=LONG, version="v", found=["SOUL.md"]), {}),
        (Found(results=[Hit(**memory(content=LONG), score=1.0), *found(3).results]), {"id": "mt_1"}),
        (Listed(results=[Memory(**memory(content=LONG))], next_cursor="c"), {"id": "mt_1", "nextCursor": "c"}),
        (Listed(results=[Memory(**memory(content=LONG)), *listed(3).results], next_cursor="c"), {"id": "mt_1"}),
        (Versions(versions=[past(2, LONG), past(1, "a")]), {}),
    ],
)
def test_a_text_is_never_cut(reply: Reply, details: dict[str, Any]) -> None:
    error = said(reply)
    assert error["code"] == "too_large"
    assert error["details"].pop("size") > error["details"].pop("limit") == LIMIT
    assert error["details"] == details


def test_a_change_that_was_made_is_never_reported_as_an_error() -> None:
    shorter = said(Edited(message="ok (add → MEMORY.md)", changed=True, version="v7", text=LONG))
    assert (shorter["message"], shorter["version"], "text" in shorter) == ("ok (add → MEMORY.md)", "v7", False)
    assert "lacks these parts: text" in shorter["note"]
    shorter = said(Updated(updated=True, trace=Memory(**memory(content=LONG))))
    assert (shorter["updated"], shorter["trace"]) == (True, {"id": "mt_1", "version": 3})


def test_an_error_keeps_its_message_and_what_fits_of_its_details() -> None:
    shorter = said(NotFound("No such text.", entries=[TEXT] * 30, id="x"))
    assert shorter["code"] == "not_found"
    assert shorter["message"].startswith("No such text. (Left out of `details`")
    assert shorter["details"]["id"] == "x"
    assert len(shorter["details"]["entries"]) + shorter["details"]["leftOut"] == 30
    assert len(shorter["details"]["entries"]) > 8
    assert said(Conflict("Changed.", version="7", text=LONG))["details"] == {"version": "7", "leftOut": 1}
    assert said(NotFound("No.", entries=[LONG, "b"]))["details"] == {"entries": [], "leftOut": 2}
    assert said(InvalidArguments("a" * 30_000))["message"] == "a" * 2_000 + " …"
    assert said(InvalidArguments("a" * 30_000, text=LONG))["details"] == {"leftOut": 1}


@pytest.mark.parametrize("transport", [agentcore, direct, http])
def test_other_envelopes_carry_six_megabytes(transport: Any) -> None:
    results = [Hit(**memory(str(number), TEXT * 60), score=0.5) for number in range(60)]
    reply = through(transport, Found(results=results))
    assert size(reply) <= transport.REPLY_LIMIT
    body = json.loads(reply["body"]) if "body" in reply else reply.get("result", reply)
    assert body["leftOut"] + len(body["results"]) == 60
    assert len(body["results"]) >= 48
    assert "leftOut" not in json.dumps(through(transport, Found(results=results[:40])))


def test_a_text_too_large_for_http_has_its_status() -> None:
    assert through(http, DocumentText(text=TEXT * 4000, version="v", found=[]))["statusCode"] == 413


@pytest.mark.parametrize("outcome", [found(3), found(0), NotFound("No.", entries=["a"])])
def test_a_reply_that_cannot_be_shortened_is_complete(outcome: Reply | ToolError) -> None:
    """The session's attributes, which are echoed, are too large already."""
    body = body_of(through(bedrock_functions, outcome, sessionAttributes={"note": "x" * LIMIT}))
    assert body == outcome.as_dict()


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_every_reply_says_what_may_be_left_out(tool: Any) -> None:
    """Whatever only reads says what to do if one item is too large; what has lists says which are shortened."""
    lists = {name for name, field in tool.reply.model_fields.items() if "list[" in str(field.annotation)}
    shortened = set(tool.reply.shortens)
    assert shortened <= lists
    assert tool.reply.changes or tool.reply.too_large
    assert bool(shortened) == bool(tool.reply.left_out_note)


values = st.text(max_size=40)
texts_of_any_size = st.lists(st.builds(MemoryText, id=values, content=values), max_size=6)
replies = (
    st.builds(Added, message=values, saved=texts_of_any_size, duplicates=texts_of_any_size)
    | st.builds(Edited, message=values, changed=st.booleans(), version=values, text=values)
    | st.builds(DocumentText, text=values, version=values, found=st.lists(values, max_size=3))
    | st.builds(Versions, versions=st.lists(st.builds(past, st.integers(1, 9), values), max_size=6))
)
errors = st.tuples(values, st.dictionaries(st.sampled_from(["a", "b"]), values | st.lists(values, max_size=5))).map(
    lambda drawn: NotFound(drawn[0], **drawn[1])
)


class Bare:
    """An envelope with nothing around the outcome."""

    def __init__(self, limit: int) -> None:
        self.REPLY_LIMIT = limit

    @staticmethod
    def encode(_: Any, outcome: Any) -> dict[str, Any]:
        return outcome.as_dict() if isinstance(outcome, ToolError) else dict(outcome)


@given(outcome=replies | errors, limit=st.integers(0, 2_000))
def test_any_outcome_fits_or_is_as_short_as_possible(outcome: Reply | ToolError, limit: int) -> None:
    bare: Any = Bare(limit)
    reply = encoded(bare, {}, outcome)
    if size(outcome.as_dict()) <= limit:
        assert reply == outcome.as_dict()
    assert size(reply) <= max(limit, 1_000) or limit < size({})
