"""Replies that would be too large for their envelope."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.errors import Conflict, InvalidArguments, NotFound, ToolError
from memtools.transports import TRANSPORTS, bedrock_functions, bedrock_openapi, http
from memtools.transports.limits import BEDROCK_REPLY, LAMBDA_REPLY, fit

EVENTS: dict[Any, dict[str, Any]] = {
    bedrock_functions: {"actionGroup": "g", "function": "f"},
    bedrock_openapi: {"actionGroup": "g", "apiPath": "/f", "httpMethod": "POST"},
}
TEXT = "é" * 1000


def size(reply: Any) -> int:
    return len(json.dumps(reply, ensure_ascii=False).encode(errors="surrogatepass"))


def said(outcome: Any) -> dict[str, Any]:
    """What Bedrock's reply to the outcome says; it always fits."""
    reply = bedrock_functions.encode(EVENTS[bedrock_functions], outcome)
    assert size(reply) <= BEDROCK_REPLY
    body: dict[str, Any] = json.loads(reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"])
    return body


def hits(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"mt_{number}", "content": TEXT, **more} for number in range(count)]


def test_what_fits_is_left_alone() -> None:
    result = {"results": hits(11), "nextCursor": "c"}
    assert said(result) == result


def test_a_search_is_cut_at_whole_results_from_the_least_relevant() -> None:
    told = said({"results": hits(30, score=0.5), "note": "Found by words alone."})
    kept = len(told["results"])
    assert told["results"] == hits(30, score=0.5)[:kept]
    assert (kept > 8, told["leftOut"]) == (True, 30 - kept)
    assert told["note"].startswith(f"Found by words alone. The {30 - kept} least relevant")
    assert "narrow" in told["note"]


def test_as_much_as_fits_is_kept() -> None:
    """One more result would have been too many."""
    told = said({"results": hits(30, score=0.5)})
    more = {**told, "results": hits(30, score=0.5)[: len(told["results"]) + 1], "leftOut": told["leftOut"] - 1}
    outer = size(bedrock_functions.encode(EVENTS[bedrock_functions], {})) - 2
    assert outer + size(json.dumps(more, ensure_ascii=False)) - 2 > BEDROCK_REPLY


def test_a_list_loses_its_cursor_so_that_nothing_is_passed_by() -> None:
    told = said({"results": hits(30), "nextCursor": "c"})
    assert "nextCursor" not in told
    assert f"limit {len(told['results'])}" in told["note"]


def test_a_history_is_cut_at_its_oldest() -> None:
    versions = [{"version": number, "content": TEXT} for number in range(30, 0, -1)]
    told = said({"versions": versions})
    assert told["versions"] == versions[: len(told["versions"])]
    assert "oldest" in told["note"]


def test_what_was_saved_is_told_though_not_all_is_repeated() -> None:
    told = said({"message": "Saved 30 fact(s) to memory.", "saved": hits(30), "duplicates": hits(5)})
    assert told["message"] == "Saved 30 fact(s) to memory."
    assert told["duplicates"] == []
    assert told["leftOut"] == 35 - len(told["saved"])
    told = said({"message": "Saved 1 fact(s) to memory.", "saved": [{"id": "1", "content": TEXT * 20}]})
    assert (told["saved"], told.get("duplicates", []), told["leftOut"]) == ([], [], 1)


@pytest.mark.parametrize(
    ("result", "details"),
    [
        ({"text": TEXT * 20, "version": "v", "found": ["SOUL.md"]}, {}),
        ({"results": [{"id": "mt_1", "content": TEXT * 20, "score": 1.0}, *hits(3)]}, {"id": "mt_1"}),
        ({"results": [{"id": "mt_1", "content": TEXT * 20}], "nextCursor": "c"}, {"id": "mt_1", "nextCursor": "c"}),
        ({"results": [{"id": "mt_1", "content": TEXT * 20}, *hits(3)], "nextCursor": "c"}, {"id": "mt_1"}),
        ({"versions": [{"version": 2, "content": TEXT * 20}, {"version": 1, "content": "a"}]}, {}),
    ],
)
def test_a_text_is_never_cut(result: dict[str, Any], details: dict[str, Any]) -> None:
    error = said(result)
    assert error["code"] == "too_large"
    assert error["details"].pop("size") > error["details"].pop("limit") == BEDROCK_REPLY
    assert error["details"] == details


def test_a_change_that_was_made_is_never_told_as_an_error() -> None:
    told = said({"message": "ok (add → MEMORY.md)", "version": "v7", "text": TEXT * 20})
    assert (told["message"], told["version"], "text" in told) == ("ok (add → MEMORY.md)", "v7", False)
    assert "text was left out" in told["note"]
    told = said({"updated": True, "trace": {"id": "mt_1", "version": 3, "content": TEXT * 20, "tags": []}})
    assert (told["updated"], told["trace"]) == (True, {"id": "mt_1", "version": 3})


def test_an_error_keeps_its_message_and_what_fits_of_its_details() -> None:
    told = said(NotFound("No such text.", entries=[TEXT] * 30, id="x"))
    assert told["code"] == "not_found"
    assert told["message"].startswith("No such text. (Of `details` was left out")
    assert told["details"]["id"] == "x"
    assert len(told["details"]["entries"]) + told["details"]["leftOut"] == 30
    assert len(told["details"]["entries"]) > 8
    told = said(Conflict("Changed.", version="7", text=TEXT * 20))
    assert told["details"] == {"version": "7", "leftOut": 1}
    assert said(NotFound("No.", entries=[TEXT * 20, "b"]))["details"] == {"entries": [], "leftOut": 2}
    assert said(InvalidArguments("a" * 30_000))["message"] == "a" * 2_000 + " …"
    assert said(InvalidArguments("a" * 30_000, text=TEXT * 20))["details"] == {"leftOut": 1}


@pytest.mark.parametrize("transport", [one for one in TRANSPORTS if one not in EVENTS])
def test_other_envelopes_carry_six_megabytes(transport: Any) -> None:
    result = {"results": [{"id": str(number), "content": TEXT * 60} for number in range(60)]}
    reply = transport.encode({}, result)
    assert size(reply) <= LAMBDA_REPLY
    body = json.loads(reply["body"]) if "body" in reply else reply.get("result", reply)
    assert body["leftOut"] + len(body["results"]) == 60
    assert len(body["results"]) > 50 - 2
    fine = {"results": result["results"][:40]}
    assert "leftOut" not in json.dumps(transport.encode({}, fine))


def test_a_text_too_large_for_http_has_a_status() -> None:
    assert http.encode({}, {"text": TEXT * 4000, "found": []})["statusCode"] == 413


def test_what_no_leaving_out_would_help_is_sent_whole() -> None:
    event = {**EVENTS[bedrock_functions], "sessionAttributes": {"userId": "a", "note": "x" * BEDROCK_REPLY}}
    outcomes: list[Any] = [{"results": hits(3)}, {"results": []}, NotFound("No.", entries=["a"])]
    for outcome in outcomes:
        reply = bedrock_functions.encode(event, outcome)
        body = json.loads(reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"])
        assert body == encode(outcome)


values = st.text(max_size=40)
named = st.dictionaries(st.sampled_from(["id", "content", "version", "score"]), values, max_size=3)
results = st.dictionaries(st.sampled_from(["message", "text", "version"]), values) | st.fixed_dictionaries(
    {},
    optional={name: st.lists(named, max_size=6) for name in ("results", "versions", "saved", "duplicates")}
    | {"message": values, "trace": named, "nextCursor": values, "note": values},
)
errors = st.tuples(values, st.dictionaries(st.sampled_from(["a", "b"]), values | st.lists(values, max_size=5))).map(
    lambda drawn: NotFound(drawn[0], **drawn[1])
)


def encode(outcome: Any) -> dict[str, Any]:
    return outcome.as_dict() if isinstance(outcome, ToolError) else dict(outcome)


@given(outcome=results | errors, limit=st.integers(0, 2_000))
def test_any_outcome_fits_or_says_the_least_it_can(outcome: Any, limit: int) -> None:
    encoder: Callable[[Any], dict[str, Any]] = encode
    told = fit(outcome, limit, encoder)
    if size(encode(outcome)) <= limit:
        assert told == encode(outcome)
    assert size(told) <= max(limit, 1_000) or limit < size({})
