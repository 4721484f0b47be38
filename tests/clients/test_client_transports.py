"""How the Python client calls: signed, with a token, by invoke; and what it makes of silence and nonsense."""

import asyncio
import io
import json
import threading
import time
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ClientError, ConnectTimeoutError
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools_client import (
    AsyncMemoryClient,
    InvalidArguments,
    MemoryClient,
    MemoryToolError,
    NotFound,
    Retries,
    TooLarge,
    Unavailable,
    Unscoped,
)
from memtools_client import Scope as Whose
from memtools_client.errors import error_of
from memtools_client.http import HttpTransport, Unsigned
from memtools_client.invoke import InvokeTransport

from local.service import Context, Service
from tests.clients.stand_in import Answer, StandIn, problem

_EMPTY = Answer(200, {"results": []})
_QUICK = Retries(first_pause=0.001, longest_pause=0.002)
Answering = Callable[..., StandIn]


def test_a_signature_covers_the_names_and_the_body(answering: Answering) -> None:
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
    """The signature as the receiver works it out."""
    names = signed.partition("=")[2].split(";")
    request = AWSRequest("POST", url, data=body, headers={name: headers[name] for name in names if name != "host"})
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(session.get_credentials().get_frozen_credentials(), "execute-api", "eu-west-1")
    return signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)


def test_what_is_not_given_is_not_sent(answering: Answering) -> None:
    server = answering(_EMPTY)
    memory = MemoryClient.local(server.url, user="maya")
    memory.memory_search("tea", tags=("drink",), since=datetime(2026, 5, 1), until=date(2026, 5, 2))  # noqa: DTZ001
    sent = json.loads(server.requests[0][2])
    assert sent == {"query": "tea", "tags": ["drink"], "since": "2026-05-01T00:00:00+00:00", "until": "2026-05-02"}


def test_a_redirect_is_not_followed(answering: Answering) -> None:
    elsewhere = answering(_EMPTY)
    server = answering(Answer(307, "", {"location": elsewhere.url}))
    with pytest.raises(InvalidArguments):
        MemoryClient.local(server.url, user="maya").memory_list()
    assert elsewhere.requests == []


def test_the_region_is_read_off_the_address() -> None:
    session = boto3.session.Session("AKID", "secret")
    MemoryClient.signed("https://abc.execute-api.eu-central-1.amazonaws.com", session=session)
    with pytest.raises(ValueError, match="region"):
        MemoryClient.signed("https://memory.example.org", session=_Nowhere())


class _Nowhere:
    """A session without a region or credentials."""

    region_name = None

    def get_credentials(self) -> None:
        return None


def test_without_credentials_nothing_is_sent(answering: Answering) -> None:
    server = answering(_EMPTY)
    with pytest.raises(Unscoped, match="credentials"):
        MemoryClient.signed(server.url, user="maya", region="eu-west-1", session=_Nowhere()).memory_list()
    assert server.requests == []


def test_a_token_is_asked_for_each_time_and_no_name_goes_with_it(answering: Answering) -> None:
    server = answering(_EMPTY)
    tokens = iter(("first", "second"))
    memory = MemoryClient.with_token(server.url, lambda: next(tokens))
    memory.memory_list()
    memory.memory_list()
    sent = [headers for _, headers, _ in server.requests]
    assert [one["authorization"] for one in sent] == ["Bearer first", "Bearer second"]
    assert not any(name.startswith("x-memory-") for one in sent for name in one)
    with pytest.raises(ValueError, match="token"):
        memory.for_user("bo")


def test_only_this_machine_takes_unsigned_calls() -> None:
    with pytest.raises(ValueError, match="on this machine"):
        MemoryClient.local("https://memory.example.org", user="maya")
    with pytest.raises(ValueError, match="no address"):
        MemoryClient.with_token("ftp://memory.example.org", "x")
    with pytest.raises(ValueError, match="has to be https"):
        MemoryClient.with_token("http://memory.example.org", "x")


@given(st.text(max_size=20))
def test_a_name_a_header_would_change_is_refused_before_it_is_sent(name: str) -> None:
    memory = MemoryClient.local("http://127.0.0.1:9", user=name, retries=Retries(attempts=1))
    plain = bool(name) and name.isascii() and name.isprintable() and name == name.strip() and "," not in name
    with pytest.raises(Unavailable if plain else Unscoped):
        memory.memory_list()


def test_what_was_unavailable_is_sent_again(answering: Answering) -> None:
    server = answering(problem(503, "unavailable"), Answer(429, {"message": "Too Many Requests"}), _EMPTY)
    assert MemoryClient.local(server.url, user="maya", retries=_QUICK).memory_list().results == []
    assert len({body for _, _, body in server.requests}) == 1
    assert len(server.requests) == 3


def test_the_asynchronous_client_sends_again_too(answering: Answering) -> None:
    server = answering(problem(503, "unavailable"), _EMPTY)
    memory = AsyncMemoryClient.local(server.url, user="maya", retries=_QUICK)
    assert asyncio.run(memory.memory_list()).results == []


def test_it_gives_up_after_its_attempts(answering: Answering) -> None:
    server = answering(problem(503, "unavailable"))
    with pytest.raises(Unavailable):
        MemoryClient.local(server.url, user="maya", retries=_QUICK).memory_list()
    assert len(server.requests) == _QUICK.attempts


@pytest.mark.parametrize("code", ["invalid_arguments", "unscoped", "not_found", "ambiguous", "conflict", "too_large"])
def test_nothing_else_is_sent_again(answering: Answering, code: str) -> None:
    server = answering(problem(409, code, line=1))
    with pytest.raises(MemoryToolError) as refused:
        MemoryClient.local(server.url, user="maya", retries=_QUICK).memory_list()
    assert (refused.value.code, refused.value.details) == (code, {"line": 1})
    assert len(server.requests) == 1


def test_it_waits_as_long_as_it_is_asked_to_but_not_past_its_bound(answering: Answering) -> None:
    patient = Answer(503, {"code": "unavailable", "detail": "x"}, {"retry-after": "1"})
    server = answering(patient, _EMPTY)
    start = time.monotonic()
    MemoryClient.local(server.url, user="maya", retries=_QUICK).memory_list()
    assert time.monotonic() - start >= 1
    server = answering(patient)
    with pytest.raises(Unavailable):
        MemoryClient.local(server.url, user="maya", retries=Retries(seconds=0.5)).memory_list()
    assert len(server.requests) == 1


@given(st.integers(1, 6), st.floats(0, 2), st.floats(0, 2))
def test_pauses_have_full_jitter_within_their_bounds(attempts: int, first: float, longest: float) -> None:
    begun = Retries(attempts, seconds=1000, first_pause=first, longest_pause=longest).begin()
    error = Unavailable("x")
    pauses = [begun.pause_after(error) for _ in range(attempts - 1)]
    assert all(0 <= pause <= min(longest, first * 2**number) for number, pause in enumerate(pauses))
    with pytest.raises(Unavailable):
        begun.pause_after(error)


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
        (Answer(400, {"code": "of_tomorrow", "detail": "x"}), InvalidArguments),
    ],
)
def test_what_the_gateway_answers_itself_has_a_class_too(
    answering: Answering, answer: Answer, kind: type[MemoryToolError]
) -> None:
    with pytest.raises(kind):
        MemoryClient.local(answering(answer).url, user="maya", retries=Retries(attempts=1)).memory_list()


def test_a_silent_service_is_unavailable_in_time(answering: Answering) -> None:
    ended = threading.Event()
    url = answering(Answer(200, {}, until=ended)).url
    try:
        with pytest.raises(Unavailable):
            HttpTransport(url, Unsigned(url), read=0.1).send("memory_list", {}, Whose("maya"))
    finally:
        ended.set()


class _Lambda:
    """The service's own handlers behind boto3's Invoke, or what it raises."""

    def __init__(self, service: Service | None = None, error: Exception | None = None) -> None:
        self._service = service
        self._error = error

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        if self._error:
            raise self._error
        if not self._service:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b'{"errorMessage": "boom"}')}
        reply = self._service.handlers[FunctionName](json.loads(Payload), Context("request"))
        return {"Payload": io.BytesIO(json.dumps(reply).encode())}


_FUNCTIONS = {name: f"{name.capitalize()}Function" for name in ("search", "add", "edit", "merge")}


def _invoking(stand_in: _Lambda, user: str = "maya", agent: str = "helper") -> MemoryClient:
    transport = InvokeTransport(_FUNCTIONS, client=stand_in)
    return MemoryClient(transport, Whose(user, agent), Retries(attempts=1))


def test_an_invoke_goes_the_same_way(running: Service, scope: Scope) -> None:
    memory = _invoking(_Lambda(running), user="Zoë, of Porto", agent=scope.agent)
    memory.memory_add(["Zoë keeps bees"])
    assert memory.memory_search("bees").results[0].content == "Zoë keeps bees"
    with pytest.raises(NotFound, match="does not occur"):
        memory.memory_edit("remove", text="x")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke"), Unavailable),
        (ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke"), Unscoped),
        (ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke"), NotFound),
        (ClientError({"Error": {"Code": "RequestTooLargeException"}}, "Invoke"), TooLarge),
        (ConnectTimeoutError(endpoint_url="https://lambda"), Unavailable),
        (None, Unavailable),
    ],
)
def test_what_lambda_refuses_has_a_class_too(error: Exception | None, kind: type[MemoryToolError]) -> None:
    with pytest.raises(kind):
        _invoking(_Lambda(error=error)).memory_list()


def test_a_function_that_is_not_known_is_not_called() -> None:
    with pytest.raises(NotFound, match="memory_merge"):
        MemoryClient(InvokeTransport({}, client=_Lambda()), Whose("maya")).memory_merge(["a", "b"])


def test_an_error_shows_a_model_code_message_and_details() -> None:
    told = error_of("conflict", "It changed.", {"version": 2}).as_dict()
    assert told == {"code": "conflict", "message": "It changed.", "details": {"version": 2}}
