"""Calls over HTTP: API Gateway REST APIs, and what both payloads have in common."""

from typing import Any

import pytest
from memtools.domain.scope import Scope
from memtools.errors import Unscoped
from memtools.handler import recognise
from memtools.transports import http
from memtools.wire.incoming import Call, Transport

from tests.unit.test_http import decode, status_of

ARN = "arn:aws:iam::111122223333:role/app"
TOKEN = {"claims": {"sub": "maria"}}


def event(
    headers: Any = None, *, authorizer: Any = None, identity: Any = None, body: str = "{}", **more: Any
) -> dict[str, Any]:
    context: dict[str, Any] = {"identity": {"sourceIp": "203.0.113.24", "userArn": None, **(identity or {})}}
    if authorizer is not None:
        context["authorizer"] = authorizer
    made = {"httpMethod": "POST", "path": "/tools/memory_search", "headers": headers, "requestContext": context}
    return {**made, "body": body, **more}


def signed(headers: Any, **more: Any) -> dict[str, Any]:
    return event(headers, identity={"userArn": ARN}, **more)


def test_a_call_is_recognised_and_decoded() -> None:
    given = event(authorizer=TOKEN, body='{"query": "té"}')
    assert recognise(given) is http
    assert decode(given) == Call("memory_search", {"query": "té"}, Scope("helper", "maria"))


@pytest.mark.parametrize("context", [None, {}, {"elb": {"targetGroupArn": "x"}}, {"identity": None}, {"identity": "x"}])
def test_requests_that_nobody_checked_are_of_no_known_envelope(context: Any) -> None:
    assert recognise({**event(), "requestContext": context}) is None


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"httpMethod": "GET"}, 405),
        ({"httpMethod": None}, 405),
        ({"path": "/memory_search"}, 404),
        ({"path": None}, 404),
        ({"body": "{"}, 400),
        ({"headers": {"Content-Type": "text/plain"}}, 415),
    ],
)
def test_what_is_wrong_with_a_request_has_its_status(more: dict[str, Any], status: int) -> None:
    assert status_of(event(**{"authorizer": TOKEN, **more})) == status


# Whose call it is


@pytest.mark.parametrize(
    "authorizer", [None, {}, [], "x", {"principalId": "maria"}, {"sub": "maria"}, {"claims": None}]
)
def test_an_unauthenticated_caller_is_asked_to_sign(authorizer: Any) -> None:
    assert status_of(event({"x-memory-user": "maria"}, authorizer=authorizer)) == 401


@pytest.mark.parametrize("identity", [{"apiKey": "k", "apiKeyId": "i"}, {"user": "maria"}, {"userArn": ""}])
def test_an_api_key_identifies_nobody(identity: dict[str, str]) -> None:
    assert status_of(event({"x-memory-user": "maria"}, identity=identity)) == 401


@pytest.mark.parametrize("claims", [{}, {"sub": ""}, {"sub": 7}, "maria", ["sub"], {"username": "maria"}])
def test_a_token_without_a_subject_is_refused_even_when_signed(claims: Any) -> None:
    given = event({"x-memory-user": "maria"}, authorizer={"claims": claims}, identity={"userArn": ARN})
    assert status_of(given) == 403


@pytest.mark.parametrize("name", ["x-memory-user", "X-Memory-User", "x-memory-agent", "X-MEMORY-AGENT"])
def test_headers_do_not_change_whom_a_token_names(name: str) -> None:
    given = event({name: "victim"}, authorizer=TOKEN, multiValueHeaders={name: ["victim", "x"]})
    assert decode(given).scope == Scope("helper", "maria")


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
def test_a_signed_caller_names_user_and_agent_in_headers_of_any_case(spell: Any) -> None:
    headers = {spell("x-memory-user"): "Maria", spell("x-memory-agent"): "Other"}
    assert decode(signed(headers)).scope == Scope("Other", "Maria")
    lists = {name: [value] for name, value in headers.items()}
    assert decode(signed(headers, multiValueHeaders=lists)).scope == Scope("Other", "Maria")
    assert decode(signed(None, multiValueHeaders=lists)).scope == Scope("Other", "Maria")


@pytest.mark.parametrize(
    ("headers", "lists"),
    [
        ({"x-memory-user": "victim"}, {"x-memory-user": ["maria", "victim"]}),
        ({"x-memory-user": "victim"}, {"X-Memory-User": ["maria"]}),
        ({"x-memory-user": "maria", "X-Memory-User": "victim"}, None),
        ({"x-memory-user": "maria,victim"}, {"x-memory-user": ["maria,victim"]}),
        ({"x-memory-user": "maria", "x-memory-agent": "b"}, {"x-memory-agent": ["a", "b"]}),
    ],
)
def test_headers_that_could_be_read_in_two_ways_are_refused(headers: Any, lists: Any) -> None:
    with pytest.raises(Unscoped, match="more than once"):
        decode(signed(headers, multiValueHeaders=lists))


@pytest.mark.parametrize("value", ["maria,victim", "maria, victim", ",maria", "maria,maria"])
@pytest.mark.parametrize("name", ["x-memory-user", "x-memory-agent"])
def test_payload_two_joins_what_was_sent_twice_and_is_refused(name: str, value: str) -> None:
    given = {
        "rawPath": "/tools/memory_search",
        "headers": {"x-memory-user": "maria", name: value},
        "requestContext": {"http": {"method": "POST"}, "authorizer": {"iam": {"userArn": ARN}}},
    }
    transport: Transport | None = recognise(given)
    assert transport is http
    with pytest.raises(Unscoped, match="more than once"):
        http.decode(given, "helper")


@pytest.mark.parametrize("spelled", ["mari%61", "mari\\u0061", "bWFyaWE=", "=?utf-8?q?maria?=", "MARIA", "maria "])
def test_encoded_forms_of_a_name_are_other_names(spelled: str) -> None:
    assert decode(signed({"x-memory-user": spelled})).scope.key != Scope("helper", "maria").key
