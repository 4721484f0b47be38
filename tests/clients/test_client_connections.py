"""How the Python client calls: signed, with a token, by invoke; and what it makes of silence and nonsense."""

import io
import json
import threading
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ClientError, ConnectTimeoutError, NoCredentialsError
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools_cli.service.http import Context
from memtools_client import (
    InvalidArguments,
    MemoryClient,
    MemoryToolError,
    NotFound,
    Retries,
    TooLarge,
    Unavailable,
    Unscoped,
)
from memtools_client import Scope as ClientScope
from memtools_client.errors import error_of
from memtools_client.http import HttpConnection, Unsigned
from memtools_client.invoke import LambdaConnection

from local.service import Service
from tests.clients.stand_in import Answer, StandIn, problem

_EMPTY = Answer(200, {"results": [], "belowFloor": 0})
_ONCE = Retries(attempts=1)
Answering = Callable[..., StandIn]


def test_the_signature_covers_scope_and_body(answering: Answering) -> None:
    """The receiver works out the same signature from the body and the signed headers, the scope's among them."""
    server = answering(_EMPTY)
    session = boto3.session.Session("AKID", "secret", "token")
    memory = MemoryClient.signed(server.url, user="maya", agent="helper", region="eu-west-1", session=session)
    memory.memory_search("ça va?")
    [(path, headers, body)] = server.requests
    algorithm, credential, signed, signature = headers["authorization"].replace(",", "").split()
    assert (path, algorithm) == ("/tools/memory_search", "AWS4-HMAC-SHA256")
    assert credential.endswith("/eu-west-1/execute-api/aws4_request")
    assert {"x-memory-agent", "x-memory-user", "x-amz-security-token"} < set(signed.partition("=")[2].split(";"))
    assert signature == f"Signature={_signature(server.url + path, headers, body, signed, session)}"


def _signature(url: str, headers: dict[str, str], body: bytes, signed: str, session: Any) -> Any:
    names = signed.partition("=")[2].split(";")
    request = AWSRequest("POST", url, data=body, headers={name: headers[name] for name in names if name != "host"})
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(session.get_credentials().get_frozen_credentials(), "execute-api", "eu-west-1")
    return signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)


def test_arguments_are_sent_as_json_without_none(answering: Answering) -> None:
    """A date is ISO 8601, a time without a zone is UTC, a tuple is a list, and None is left out."""
    server = answering(_EMPTY)
    memory = MemoryClient.local(server.url, user="maya")
    memory.memory_search("tea", tags=("drink",), since=datetime(2026, 5, 1), until=date(2026, 5, 2))  # noqa: DTZ001
    sent = json.loads(server.requests[0][2])
    assert sent == {"query": "tea", "tags": ["drink"], "since": "2026-05-01T00:00:00+00:00", "until": "2026-05-02"}


def test_a_tool_name_stays_one_part_of_the_path(answering: Answering) -> None:
    """A model's made-up tool name reaches no other path and no query."""
    server = answering(_EMPTY)
    MemoryClient.local(server.url, user="maya").call("../x?y", {})
    assert server.requests[0][0] == "/tools/../x?y"  # decoded by the server: what was sent had no ? or / of its own


def test_a_redirect_is_not_followed(answering: Answering) -> None:
    """A redirect could take the signature elsewhere, so it is an error."""
    elsewhere = answering(_EMPTY)
    server = answering(Answer(307, "", {"location": elsewhere.url}))
    with pytest.raises(InvalidArguments):
        MemoryClient.local(server.url, user="maya").memory_list()
    assert elsewhere.requests == []


def test_the_address_names_the_region() -> None:
    """API Gateway's addresses name their region; for any other the session or the caller has to."""
    session = boto3.session.Session("AKID", "secret")
    MemoryClient.signed("https://abc.execute-api.eu-central-1.amazonaws.com", session=session)
    with pytest.raises(ValueError, match="region"):
        MemoryClient.signed("https://memory.example.org", session=_EmptySession())


class _EmptySession:
    """A session without a region or credentials."""

    region_name = None

    def get_credentials(self) -> None:
        return None


def test_without_credentials_nothing_is_sent(answering: Answering) -> None:
    """Missing credentials are Unscoped before any request."""
    server = answering(_EMPTY)
    with pytest.raises(Unscoped, match="credentials"):
        MemoryClient.signed(server.url, user="maya", region="eu-west-1", session=_EmptySession()).memory_list()
    assert server.requests == []


def test_the_token_is_read_for_each_request(answering: Answering) -> None:
    """Each request has a fresh token and no scope, which the token implies: there is no client for another user."""
    server = answering(_EMPTY)
    tokens = iter(("first", "second"))
    memory = MemoryClient.with_token(server.url, lambda: next(tokens))
    memory.memory_list()
    memory.memory_list()
    sent = [headers for _, headers, _ in server.requests]
    assert [headers["authorization"] for headers in sent] == ["Bearer first", "Bearer second"]
    assert not any(name.startswith("x-memory-") for headers in sent for name in headers)
    with pytest.raises(ValueError, match="token"):
        memory.for_user("bo")


def test_unsafe_addresses_are_refused() -> None:
    """Unsigned calls stay on this machine; tokens and signatures go there or over https."""
    with pytest.raises(ValueError, match="on this machine"):
        MemoryClient.local("https://memory.example.org", user="maya")
    with pytest.raises(ValueError, match="no address"):
        MemoryClient.with_token("ftp://memory.example.org", "x")
    with pytest.raises(ValueError, match="has to be https"):
        MemoryClient.with_token("http://memory.example.org", "x")


@given(st.text(max_size=20))
def test_a_name_that_a_header_would_change_is_refused(name: str) -> None:
    """A name that API Gateway would trim, join or garble is Unscoped before any request."""
    memory = MemoryClient.local("http://127.0.0.1:9", user=name, retries=_ONCE)
    plain = bool(name) and name.isascii() and name.isprintable() and name == name.strip() and "," not in name
    with pytest.raises(Unavailable if plain else Unscoped):
        memory.memory_list()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(401, {"message": "Unauthorized"}), Unscoped),
        (Answer(403, {"message": "Forbidden"}), Unscoped),
        (Answer(404, {"message": "Not Found"}), NotFound),
        (Answer(413, {"message": "Request Too Long"}), TooLarge),
        (Answer(500, {"message": "Internal Server Error"}), Unavailable),
        (Answer(502, "<html>"), Unavailable),
        (Answer(200, "<html>"), Unavailable),
        (Answer(200, []), Unavailable),
    ],
)
def test_gateway_answers_become_errors(answering: Answering, answer: Answer, kind: type[MemoryToolError]) -> None:
    """What API Gateway or a proxy answers by itself raises one of our classes, and is not from a tool."""
    with pytest.raises(kind) as raised:
        MemoryClient.local(answering(answer).url, user="maya", retries=_ONCE).memory_list()
    assert not raised.value.from_tool


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem(401, "unscoped"), Unscoped),
        (problem(503, "unavailable"), Unavailable),
        (problem(400, "of_tomorrow"), InvalidArguments),
    ],
)
def test_a_tools_error_says_so(answering: Answering, answer: Answer, kind: type[MemoryToolError]) -> None:
    """An error with a code is from a tool, with or without details; a code of a newer service is not retried."""
    with pytest.raises(kind) as raised:
        MemoryClient.local(answering(answer).url, user="maya", retries=_ONCE).memory_list()
    assert raised.value.from_tool


def test_a_silent_service_is_unavailable(answering: Answering) -> None:
    """A request without an answer ends after its timeout."""
    ended = threading.Event()
    url = answering(Answer(200, {}, until=ended)).url
    try:
        with pytest.raises(Unavailable):
            HttpConnection(url, Unsigned(url), read=0.1).send("memory_list", {}, ClientScope("maya"), "key")
    finally:
        ended.set()


class _Lambda:
    """Behind boto3's Invoke: the service's own handlers, an error, or a payload."""

    def __init__(
        self, service: Service | None = None, error: Exception | None = None, answer: dict[str, Any] | None = None
    ) -> None:
        self._service = service
        self._error = error
        self._answer = answer or {}

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        if self._error:
            raise self._error
        if not self._service:
            return {"Payload": io.BytesIO(b"{}"), **self._answer}
        reply = self._service.handlers[FunctionName](json.loads(Payload), Context("request"))
        return {"Payload": io.BytesIO(json.dumps(reply).encode())}


_FUNCTIONS = {name: f"{name.capitalize()}Function" for name in ("search", "add", "edit", "merge")}
_OUTPUTS = {"ApiUrl": "https://x", **{f"{function}Arn": function for function in _FUNCTIONS.values()}}


def _connection(stand_in: _Lambda) -> LambdaConnection:
    return LambdaConnection(_FUNCTIONS, client=stand_in)


@pytest.mark.parametrize("functions", [_FUNCTIONS, _OUTPUTS], ids=["names", "outputs"])
def test_invoke_reaches_every_function(running: Service, scope: Scope, functions: dict[str, str]) -> None:
    """Replies and errors are those of HTTP, any name can be a user's, and a stack's outputs name the functions."""
    connection = LambdaConnection(functions, client=_Lambda(running))
    memory = MemoryClient(connection, ClientScope("Zoë, of Porto", scope.agent), _ONCE)
    memory.memory_add(["Zoë keeps bees"])
    assert memory.memory_search("bees").results[0].content == "Zoë keeps bees"
    with pytest.raises(NotFound, match="does not occur") as absent:
        memory.memory_edit("remove", text="x")
    assert absent.value.from_tool


def test_invoke_can_call_tools_of_a_newer_service(running: Service, scope: Scope) -> None:
    """A function answers for a tool that this client does not know; it names those that it serves."""
    with pytest.raises(NotFound) as error:
        _connection(_Lambda(running)).invoke("add", "memory_doctor", {}, ClientScope(scope.user, scope.agent))
    assert error.value.details["tools"] == ["memory_add"]


@pytest.mark.parametrize(
    ("stand_in", "kind"),
    [
        (_Lambda(error=ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke")), Unavailable),
        (_Lambda(error=ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke")), Unscoped),
        (_Lambda(error=ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke")), NotFound),
        (_Lambda(error=ClientError({"Error": {"Code": "RequestTooLargeException"}}, "Invoke")), TooLarge),
        (_Lambda(error=ConnectTimeoutError(endpoint_url="https://lambda")), Unavailable),
        (_Lambda(error=NoCredentialsError()), Unscoped),
        (_Lambda(answer={"FunctionError": "Unhandled"}), Unavailable),
        (_Lambda(answer={"Payload": io.BytesIO(b'"Hello"')}), Unavailable),
    ],
)
def test_lambda_answers_become_errors(stand_in: _Lambda, kind: type[MemoryToolError]) -> None:
    """What Lambda refuses, or another function answers, raises one of our classes, and is not from a tool."""
    with pytest.raises(kind) as raised:
        _connection(stand_in).send("memory_list", {}, ClientScope("maya"), "key")
    assert not raised.value.from_tool


def test_a_missing_function_is_not_called() -> None:
    """The error names the tool that no known function serves."""
    with pytest.raises(NotFound, match="memory_merge"):
        MemoryClient(LambdaConnection({}, client=_Lambda()), ClientScope("maya")).memory_merge(["a", "b"])


def test_an_error_shows_code_message_and_details() -> None:
    """An adapter gives a model all that the service said."""
    error = error_of("conflict", "It changed.", {"version": 2})
    assert error.as_dict() == {"code": "conflict", "message": "It changed.", "details": {"version": 2}}
