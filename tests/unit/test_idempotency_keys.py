"""Where each envelope has its idempotency key, and which keys are taken."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools.domain.writes import name_of, with_name, writes_since
from memtools.errors import InvalidArguments
from memtools.handler import recognise
from memtools.wire.incoming import Call

from local.invoke import client_context
from tests.functions.wrapping import ENVELOPES

SCOPE = Scope("helper", "maria")
KEYED = ["http", "rest", "direct", "agentcore"]


def call(envelope: str, key: Any, *, header: str | None = None) -> Call:
    """The call with this key; ``header`` spells the header's name otherwise."""
    event, context = ENVELOPES[envelope].wrap("memory_list", {}, SCOPE)
    if envelope == "direct":
        event["context"]["idempotencyKey"] = key
    elif envelope == "agentcore":
        headers = {"x-memory-user": SCOPE.user, header or "x-memory-idempotency-key": key}
        context = client_context({**context.client_context.custom, "bedrockAgentCorePropagatedHeaders": headers})
    else:
        event["headers"][header or "idempotency-key"] = key
        event["multiValueHeaders"] = {name: [value] for name, value in event["headers"].items()}
    transport = recognise(event, context)
    assert transport
    decoded: Call = transport.decode(event, "helper", context)
    return decoded


@pytest.mark.parametrize("envelope", KEYED)
@pytest.mark.parametrize("key", ["k", "x" * 200, "8e03978e-40d5-43dd-bc93-6f0d9fda5d8d", '"quoted"', "!#$%&'*+-.^_`|~"])
def test_a_key_is_taken_as_it_is(envelope: str, key: str) -> None:
    assert call(envelope, key).key == key


@pytest.mark.parametrize("envelope", KEYED)
@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "a,b", "a\n", "\tb", "é", "東京", "\x00", "\x7f", "\ud800"])
def test_a_key_that_is_not_visible_or_too_long_is_refused(envelope: str, key: str) -> None:
    with pytest.raises(InvalidArguments, match="idempotency key"):
        call(envelope, key)


@pytest.mark.parametrize("key", [7, True, ["k"], {"k": "k"}])
def test_a_direct_call_has_a_key_that_is_text(key: Any) -> None:
    with pytest.raises(InvalidArguments, match="idempotency key"):
        call("direct", key)


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_a_call_needs_no_key(envelope: str) -> None:
    event, context = ENVELOPES[envelope].wrap("memory_list", {}, SCOPE)
    transport = recognise(event, context)
    assert transport
    assert transport.decode(event, "helper", context).key is None
    assert call("direct", None).key is None


@pytest.mark.parametrize(
    ("envelope", "header"),
    [("http", "Idempotency-Key"), ("rest", "IDEMPOTENCY-KEY"), ("agentcore", "X-Memory-Idempotency-Key")],
)
def test_the_header_is_found_in_any_case(envelope: str, header: str) -> None:
    assert call(envelope, "k", header=header).key == "k"


def test_a_key_sent_twice_is_one_key_or_none() -> None:
    """The same value twice is one; of two values, none can be trusted."""
    assert call("agentcore", ["k", "k"]).key == "k"
    with pytest.raises(InvalidArguments):
        call("agentcore", ["k", "other"])


@pytest.mark.parametrize("envelope", ["http", "rest", "agentcore"])
def test_the_model_writes_no_key(envelope: str) -> None:
    """What stands among the arguments is an argument."""
    event, context = ENVELOPES[envelope].wrap("memory_list", {"idempotencyKey": "k", "idempotency-key": "k"}, SCOPE)
    transport = recognise(event, context)
    assert transport
    assert transport.decode(event, "helper", context).key is None


# The names of writes

parts = st.text(max_size=8)


@given(one=st.tuples(parts, parts, parts), other=st.tuples(parts, parts, parts))
def test_a_name_tells_calls_apart(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    """The same call has the same name; the same key with other arguments is refused, another key is unknown."""
    first, second = name_of(SCOPE, *one), name_of(SCOPE, *other)
    assert (first == second) == (one == other)
    if one[:2] == other[:2] and one != other:
        with pytest.raises(InvalidArguments):
            writes_since(second, (first,))
    else:
        assert writes_since(second, (first,)) == (0 if one == other else None)


def test_names_of_two_scopes_tell_nothing_of_each_other() -> None:
    """Nobody sees from an export that two users had the same key."""
    one, other = (name_of(Scope("helper", user), "memory_add", "k", "{}") for user in ("ana", "bob"))
    assert one[:12] != other[:12]


def test_a_name_lives_through_twenty_more() -> None:
    mine = name_of(SCOPE, "memory_add", "k", json.dumps({}))
    names = with_name(mine, ())
    for number in range(20):
        assert writes_since(mine, names) == number
        names = with_name(name_of(SCOPE, "memory_add", f"other {number}", "{}"), names)
    assert writes_since(mine, names) == 20
