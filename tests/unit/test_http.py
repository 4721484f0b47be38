"""Calls over HTTP: API Gateway HTTP APIs and function URLs."""

import base64
import json
from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools.errors import Ambiguous, Conflict, InvalidArguments, NotFound, TooLarge, ToolError, Unavailable, Unscoped
from memtools.handler import recognise
from memtools.transports import http
from memtools.wire.incoming import Call

JWT = {"jwt": {"claims": {"sub": "maria"}, "scopes": None}}
IAM = {"iam": {"accountId": "111122223333", "userArn": "arn:aws:iam::111122223333:role/app"}}
_UNSET: Any = object()


def event(
    body: Any = _UNSET,
    *,
    authorizer: Any = JWT,
    path: Any = "/tools/memory_search",
    method: str = "POST",
    headers: Any = None,
    **more: Any,
) -> dict[str, Any]:
    context: dict[str, Any] = {"http": {"method": method, "path": path}}
    if authorizer is not None:
        context["authorizer"] = authorizer
    made = {"version": "2.0", "rawPath": path, "headers": headers or {}, "requestContext": context, **more}
    return made if body is _UNSET else {**made, "body": body}


def decode(given_: dict[str, Any]) -> Call:
    return http.decode(given_, "helper")


def status_of(given_: dict[str, Any]) -> int:
    """The status with which a request is refused."""
    with pytest.raises(ToolError) as refusal:
        decode(given_)
    status: int = http.encode(given_, refusal.value)["statusCode"]
    return status


# Whose call it is


def test_a_token_names_the_user_and_the_deployment_the_agent() -> None:
    assert decode(event('{"query": "tea"}')) == Call("memory_search", {"query": "tea"}, Scope("helper", "maria"))


@pytest.mark.parametrize("name", ["x-memory-user", "X-Memory-User", "x-memory-agent", "X-MEMORY-AGENT"])
def test_headers_do_not_change_whom_a_token_names(name: str) -> None:
    assert decode(event(headers={name: "victim"})).scope == Scope("helper", "maria")


def test_a_body_does_not_change_whom_a_token_names() -> None:
    call = decode(event('{"user": "victim", "context": {"user": "victim"}}', path="/tools/memory_add"))
    assert call.scope == Scope("helper", "maria")


def test_a_token_takes_precedence_over_a_signature() -> None:
    both = {**JWT, **IAM}
    assert decode(event(authorizer=both, headers={"x-memory-user": "victim"})).scope == Scope("helper", "maria")


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
def test_a_signed_caller_names_user_and_agent_in_headers_of_any_case(spell: Any) -> None:
    headers = {spell("x-memory-user"): "Maria", spell("x-memory-agent"): "Other"}
    assert decode(event(authorizer=IAM, headers=headers)).scope == Scope("Other", "Maria")


def test_a_signed_caller_may_leave_the_agent_to_the_deployment() -> None:
    assert decode(event(authorizer=IAM, headers={"x-memory-user": "maria"})).scope == Scope("helper", "maria")


@pytest.mark.parametrize("authorizer", [None, {}, {"lambda": {"sub": "maria"}}, {"jwt": None, "iam": None}, [], "iam"])
def test_an_unauthenticated_caller_is_asked_to_sign(authorizer: Any) -> None:
    assert status_of(event(authorizer=authorizer, headers={"x-memory-user": "maria"})) == 401


@pytest.mark.parametrize(
    "token", [{"claims": {}}, {"claims": {"sub": ""}}, {"claims": {"sub": " "}}, {"claims": {"sub": 7}}, {"scopes": []}]
)
def test_a_token_without_a_subject_is_refused(token: dict[str, Any]) -> None:
    assert status_of(event(authorizer={"jwt": token}, headers={"x-memory-user": "maria"})) == 403


@pytest.mark.parametrize("headers", [{}, {"x-memory-user": ""}, {"x-memory-user": " "}, {"x-memory-agent": "a"}])
def test_a_signed_caller_without_a_user_is_refused(headers: dict[str, str]) -> None:
    assert status_of(event(authorizer=IAM, headers=headers)) == 403


def test_a_header_without_a_value_names_nobody() -> None:
    assert status_of(event(authorizer=IAM, headers={"x-memory-user": None})) == 403


def test_a_deployment_without_an_agent_serves_no_token() -> None:
    with pytest.raises(Unscoped):
        http.decode(event(), "")


# Where and how


@pytest.mark.parametrize("path", ["/tools/memory_add", "/prod/tools/memory_add", "/v1-beta/tools/memory_add"])
def test_a_stage_may_stand_before_the_path(path: str) -> None:
    assert decode(event(path=path)).tool == "memory_add"


@pytest.mark.parametrize(
    "path", ["/", "", "/tools", "/tools/", "/tool/memory_add", "/a/b/tools/memory_add", "/memory_add"]
)
def test_other_paths_are_not_found(path: str) -> None:
    assert status_of(event(path=path)) == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "post", ""])
def test_tools_are_called_with_post(method: str) -> None:
    given_ = event(method=method)
    with pytest.raises(InvalidArguments) as refusal:
        decode(given_)
    response = http.encode(given_, refusal.value)
    assert (response["statusCode"], response["headers"]["allow"]) == (405, "POST")
    assert json.loads(response["body"])["code"] == "invalid_arguments"


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON", None])
def test_json_is_understood(kind: str | None) -> None:
    headers = {"Content-Type": kind} if kind else {}
    assert decode(event('{"a": 1}', headers=headers)).arguments == {"a": 1}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json"])
def test_no_other_type_is_understood(kind: str) -> None:
    assert status_of(event("{}", headers={"content-type": kind})) == 415


# The body


@pytest.mark.parametrize("more", [{}, {"body": None}, {"body": ""}, {"body": "{}"}])
def test_no_body_is_no_arguments(more: dict[str, Any]) -> None:
    assert decode({**event(), **more}).arguments == {}


def test_an_empty_body_in_base64_is_no_arguments() -> None:
    assert decode(event("", isBase64Encoded=True)).arguments == {}


def test_a_body_in_base64_is_read() -> None:
    body = base64.b64encode('{"query": "té 🍵"}'.encode()).decode()
    assert decode(event(body, isBase64Encoded=True)).arguments == {"query": "té 🍵"}


@pytest.mark.parametrize(
    "body",
    [
        *("{", "query=tea", "{'query': 'tea'}", '{"a": 1,}', " ", "\ufeff{}"),
        *("[" * 100_000, '{"a":' * 100_000, "1" * 10_000),
    ],
)
def test_a_broken_body_is_refused(body: str) -> None:
    assert status_of(event(body)) == 400


@pytest.mark.parametrize("body", ["%%%", "e30", "e30=!", "é", "{}"])
def test_broken_base64_is_refused(body: str) -> None:
    assert status_of(event(body, isBase64Encoded=True)) == 400


@pytest.mark.parametrize("data", [b"\xff\xfe\xfd", b'{"a": "\xe9"}', b"\x80"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    assert status_of(event(base64.b64encode(data).decode(), isBase64Encoded=True)) == 400


@pytest.mark.parametrize("body", ["[1]", '"x"', "7", "null", "true"])
def test_json_that_is_not_an_object_is_left_to_the_tool(body: str) -> None:
    assert decode(event(body)).arguments == json.loads(body)


def test_a_refusal_does_not_repeat_the_body() -> None:
    for given_ in (event("{marzipan"), event("marzipan!", isBase64Encoded=True)):
        with pytest.raises(ToolError) as refusal:
            decode(given_)
        assert "marzipan" not in json.dumps(refusal.value.as_dict())
        assert refusal.value.__suppress_context__


# Replies


def test_a_result_is_sent_as_json_that_nobody_caches() -> None:
    assert http.encode(event(), {"message": "Café 🍵", "saved": []}) == {
        "statusCode": 200,
        "headers": {"content-type": "application/json", "cache-control": "no-store"},
        "body": '{"message": "Café 🍵", "saved": []}',
        "isBase64Encoded": False,
    }


@pytest.mark.parametrize(
    ("error", "status", "title"),
    [
        (InvalidArguments("m"), 400, "Invalid arguments"),
        (Unscoped("m"), 403, "Unscoped"),
        (NotFound("m"), 404, "Not found"),
        (Ambiguous("m"), 409, "Ambiguous"),
        (Conflict("m"), 409, "Conflict"),
        (TooLarge("m"), 413, "Too large"),
        (Unavailable("m"), 503, "Unavailable"),
    ],
)
def test_an_error_is_sent_as_a_problem(error: ToolError, status: int, title: str) -> None:
    response = http.encode(event(), error)
    problem = json.loads(response["body"])
    assert response["statusCode"] == problem["status"] == status
    assert response["headers"]["content-type"] == "application/problem+json"
    assert response["headers"]["cache-control"] == "no-store"
    assert problem["type"] == f"urn:memtools:error:{error.code}"
    assert problem["title"] == title
    assert (problem["detail"], problem["code"], problem["details"]) == ("m", error.code, {})
    assert ("retry-after" in response["headers"]) == (error.code == "unavailable")
    assert "allow" not in response["headers"]


def test_the_details_of_an_error_are_sent_as_they_are() -> None:
    error = Conflict("Changed.", version="7", text="Café\n- é")
    body = http.encode(event(), error)["body"]
    assert json.loads(body)["details"] == {"version": "7", "text": "Café\n- é"}
    assert "Café" in body


def test_every_kind_of_error_has_a_status() -> None:
    for kind in ToolError.__subclasses__():
        assert 400 <= http.encode(event(), kind("m"))["statusCode"] < 600


# Strangers


def test_a_request_is_recognised() -> None:
    assert recognise(event()) is http
    assert recognise({**event(), "tool": "memory_add", "context": {"user": "victim"}}) is http


@pytest.mark.parametrize(
    "given_", [{}, {"requestContext": None}, {"requestContext": {"http": "POST"}}, [], None, "x", 7]
)
def test_other_events_are_no_requests(given_: Any) -> None:
    assert recognise(given_) is None


@pytest.mark.parametrize(
    "authorizer", [{"jwt": "maria"}, {"jwt": {"claims": None}}, {"jwt": {"claims": ["sub"]}}, {"jwt": 7}]
)
def test_an_odd_token_is_refused(authorizer: Any) -> None:
    assert status_of(event(authorizer=authorizer)) in (401, 403)


@pytest.mark.parametrize("headers", [["x"], "x-memory-user: maria", 7])
def test_odd_headers_are_refused(headers: Any) -> None:
    assert status_of({**event(authorizer=IAM), "headers": headers}) in (400, 403)


@pytest.mark.parametrize("body", [7, True, ["e30="], {"a": 1}])
def test_an_odd_body_in_base64_is_refused(body: Any) -> None:
    assert status_of(event(body, isBase64Encoded=True)) == 400


@pytest.mark.parametrize(
    "body",
    [b'{"query": "tea", "query": "coffee"}', '{"query": "tea"}'.encode("utf-16"), '{"query": "tea"}'.encode("utf-32")],
)
def test_a_body_that_could_be_read_in_two_ways_is_refused(body: bytes) -> None:
    """FAULTS C6: a name that occurs twice, and encodings other than UTF-8."""
    encoded = {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    with pytest.raises(InvalidArguments, match="JSON"):
        http.decode({**event(), **encoded}, "helper")
