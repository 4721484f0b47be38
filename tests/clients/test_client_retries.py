"""The client's retries, on a clock of their own: no test waits."""

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from memtools_client import AsyncMemoryClient, MemoryClient, MemoryToolError, Retries, Unavailable, retries
from memtools_client.invoke import LambdaConnection
from memtools_client.retries import CALLS, RACES, seconds_of

from tests.clients.stand_in import Answer, StandIn, problem

_EMPTY = Answer(200, {"results": []})
_UNAVAILABLE = problem(503, "unavailable")
Answering = Callable[..., StandIn]


class Clock:
    """In the place of the clock: a pause takes no time, and is noted."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        patch.setattr(retries, "time", SimpleNamespace(sleep=self.sleep, monotonic=lambda: self.now))
        patch.setattr(retries, "asyncio", SimpleNamespace(sleep=self.sleep_async))

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def _failing(error: Exception, calls: list[None]) -> Callable[[], None]:
    def attempt() -> None:
        calls.append(None)
        raise error

    return attempt


def test_unavailable_calls_are_sent_again_unchanged(answering: Answering, clock: Clock) -> None:
    """A busy service and a throttling gateway get the same request until it is answered."""
    server = answering(_UNAVAILABLE, Answer(429, {"message": "Too Many Requests"}), _EMPTY)
    assert MemoryClient.local(server.url, user="maya").memory_list().results == []
    assert len({(body, headers["idempotency-key"]) for _, headers, body in server.requests}) == 1
    assert len(server.requests) == 3


def test_each_call_has_a_key_of_its_own_or_the_one_given(answering: Answering, clock: Clock) -> None:
    """Two calls are two calls, though they are equal; a program that makes one again after a restart names it."""
    server = answering(_EMPTY)
    client = MemoryClient.local(server.url, user="maya")
    for key in (None, None, "job-7", "job-7"):
        client.call("memory_list", {}, key=key)
    sent = [headers["idempotency-key"] for _, headers, _ in server.requests]
    assert sent[2:] == ["job-7", "job-7"]
    assert len(set(sent)) == 3


def test_the_async_client_retries_too(answering: Answering, clock: Clock) -> None:
    """Both clients follow one policy."""
    server = answering(_UNAVAILABLE, _EMPTY)
    assert asyncio.run(AsyncMemoryClient.local(server.url, user="maya").memory_list()).results == []
    assert len(clock.pauses) == 1


class _BusyLambda:
    """Lambda that throttles every call and asks for a wait."""

    def __init__(self) -> None:
        self.calls = 0
        self.keys: set[str] = set()

    def invoke(self, **given: Any) -> Any:
        self.calls += 1
        self.keys.add(json.loads(given["Payload"])["context"]["idempotencyKey"])
        metadata: Any = {"HTTPHeaders": {"retry-after": "7"}}
        error = {"Error": {"Code": "TooManyRequestsException"}, "ResponseMetadata": metadata}
        raise ClientError(error, "Invoke")  # type: ignore[arg-type]


def test_invokes_are_retried_as_lambda_asks(clock: Clock) -> None:
    """By invoke the number of attempts and the wait are those of HTTP."""
    busy = _BusyLambda()
    with pytest.raises(Unavailable):
        MemoryClient(LambdaConnection({"search": "x"}, client=busy)).memory_list()
    assert busy.calls == CALLS.attempts
    assert len(busy.keys) == 1
    assert all(pause >= 7 for pause in clock.pauses)


@pytest.mark.parametrize("code", ["invalid_arguments", "unscoped", "not_found", "ambiguous", "conflict", "too_large"])
def test_no_other_error_is_retried(answering: Answering, code: str) -> None:
    """An error that a retry cannot cure is raised at once, with its code and details."""
    server = answering(problem(409, code, line=1))
    with pytest.raises(MemoryToolError) as refused:
        MemoryClient.local(server.url, user="maya").memory_list()
    assert (refused.value.code, refused.value.details) == (code, {"line": 1})
    assert len(server.requests) == 1


def test_the_client_waits_as_long_as_asked(answering: Answering, clock: Clock) -> None:
    """Retry-After is a lower bound of the pause."""
    busy = Answer(503, {"code": "unavailable", "detail": "x"}, {"retry-after": "7"})
    MemoryClient.local(answering(busy, _EMPTY).url, user="maya").memory_list()
    [pause] = clock.pauses
    assert 7 <= pause <= 7 + CALLS.first_pause


def test_a_wait_beyond_the_bound_is_not_begun(answering: Answering, clock: Clock) -> None:
    """Where the service asks for more time than the policy has, the error comes at once and says how much."""
    server = answering(Answer(503, {"code": "unavailable", "detail": "x"}, {"retry-after": "61"}))
    with pytest.raises(Unavailable) as error:
        MemoryClient.local(server.url, user="maya").memory_list()
    assert (error.value.wait, clock.pauses, len(server.requests)) == (61, [], 1)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("0", 0), (None, 0), ("soon", 0), ("-5", 0), ("9" * 5000, 0), ("Fri, 01 Jan 2016 00:00:00 GMT", 0)],
)
def test_retry_after_is_read_leniently(header: str | None, seconds: float) -> None:
    """A header that is missing, malformed or in the past asks for no wait."""
    assert seconds_of(header) == seconds


def test_a_retry_after_in_the_future_is_a_wait() -> None:
    """A date far away asks for more than any policy has."""
    assert seconds_of("Thu, 01 Jan 2999 00:00:00 GMT") > CALLS.seconds


@given(st.integers(1, 8), st.floats(0, 60), st.floats(0, 5), st.floats(0, 5), st.floats(0, 20))
def test_retries_stay_within_their_bounds(
    attempts: int, seconds: float, first: float, longest: float, asked: float
) -> None:
    """Never more attempts, never a later one; pauses have full jitter on top of what was asked."""
    policy = Retries(attempts, seconds, first, longest)
    calls: list[None] = []
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(patch)
        with pytest.raises(Unavailable):
            policy.run(_failing(Unavailable("x", wait=asked), calls))
    assert len(calls) == len(clock.pauses) + 1 <= attempts
    assert clock.now <= seconds
    for number, pause in enumerate(clock.pauses):
        assert asked <= pause <= asked + min(longest, first * 2**number)
    if len(calls) < attempts:
        assert clock.now + asked + min(longest, first * 2 ** len(clock.pauses)) > seconds


@pytest.mark.parametrize("policy", [CALLS, RACES, Retries(attempts=2)])
def test_tests_can_switch_pauses_off(policy: Retries, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """The switch bounds the attempts of every policy in the process and takes away the pauses."""
    monkeypatch.setattr(Retries, "attempts_in_tests", 3)
    calls: list[None] = []
    with pytest.raises(Unavailable):
        policy.run(_failing(Unavailable("x", wait=1000), calls))
    assert len(calls) == min(policy.attempts, 3)
    assert set(clock.pauses) == {0.0}
