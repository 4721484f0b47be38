"""What every SegmentStore does; run against the fake and against S3 on moto."""

import itertools
import json
import socket
import threading
from collections.abc import Iterator

import boto3
import pytest
from memtools.adapters.aws import CONFIG
from memtools.adapters.segments import S3Segments, segment_key
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.errors import Fault, Unavailable
from memtools.ports import ConditionFailed, SegmentStore, StoredSegment

from local.template import Template
from tests.faults.inject import without_pauses
from tests.memories import lose_segment

ODD_BYTES = {
    "empty": b"",
    "zero": b"\0",
    "every byte": bytes(range(256)),
    "lines": b"\r\n\n\r",
    "megabytes": bytes(range(251)) * 20_000,
}
# Pairs of agent and user that a store which joins or folds them carelessly would take for one another.
LOOK_ALIKE = [
    *(("a/b", "c"), ("a%2Fb", "c"), ("a.", "b"), ("b", "a")),
    *(("a", user) for user in ("b", "b/c", "b%2Fc", ".b", "..", ".", "b/../b", "b ", "b+", "B", "b10")),
    *(("a", user) for user in ("é", "e\u0301", "東京", "%E6%9D%B1%E4%BA%AC", "\u200fb")),
]
_runs = itertools.count(1)


@pytest.fixture
def store(memory: Backend) -> SegmentStore:
    return memory.segments


@pytest.fixture
def nowhere(moto: Template) -> Iterator[SegmentStore]:
    """A store at an address where nobody listens."""
    with socket.socket() as held, without_pauses():
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        yield S3Segments(boto3.client("s3", endpoint_url=address, config=CONFIG), moto.bucket["Name"])


def loaded(store: SegmentStore, scope: Scope) -> bytes | None:
    stored = store.load(scope)
    return None if stored is None else stored.data


def test_where_nothing_was_saved_there_is_nothing(store: SegmentStore, scope: Scope) -> None:
    assert store.load(scope) is None


@pytest.mark.parametrize("kind", ODD_BYTES)
def test_what_was_saved_is_what_is_loaded_byte_for_byte_under_the_tag_told(
    store: SegmentStore, scope: Scope, kind: str
) -> None:
    tag = store.save(scope, ODD_BYTES[kind], None)
    assert store.load(scope) == StoredSegment(ODD_BYTES[kind], tag)


def test_a_first_save_where_one_stands_loses_and_leaves_it(store: SegmentStore, scope: Scope) -> None:
    tag = store.save(scope, b"one", None)
    for data in (b"two", b"one"):
        with pytest.raises(ConditionFailed):
            store.save(scope, data, None)
    assert store.load(scope) == StoredSegment(b"one", tag)


def test_a_save_with_the_right_tag_replaces_as_often_as_wanted(store: SegmentStore, scope: Scope) -> None:
    tag = store.save(scope, b"0", None)
    for number in range(1, 4):
        tag = store.save(scope, str(number).encode(), tag)
        assert store.load(scope) == StoredSegment(str(number).encode(), tag)


def test_of_many_that_save_at_once_one_wins(store: SegmentStore, scope: Scope) -> None:
    tag = store.save(scope, b"first", None)
    won: list[bytes] = []
    together = threading.Barrier(8)

    def try_it(number: int) -> None:
        data = f"from {number}".encode()
        together.wait()
        try:
            store.save(scope, data, tag)
        except ConditionFailed:
            return
        won.append(data)

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(together.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [loaded(store, scope)] == won


def test_replacing_what_was_deleted_elsewhere_loses_and_a_first_save_is_possible_again(
    memory: Backend, scope: Scope
) -> None:
    tag = memory.segments.save(scope, b"one", None)
    lose_segment(memory, scope)
    assert memory.segments.load(scope) is None
    with pytest.raises(ConditionFailed):
        memory.segments.save(scope, b"two", tag)
    assert memory.segments.load(scope) is None
    memory.segments.save(scope, b"three", None)
    assert loaded(memory.segments, scope) == b"three"


def test_replacing_what_was_never_there_loses(store: SegmentStore, scope: Scope) -> None:
    tag = store.save(Scope(scope.agent, "other"), b"one", None)
    with pytest.raises(ConditionFailed):
        store.save(scope, b"two", tag)
    assert store.load(scope) is None


def test_scopes_that_look_alike_never_meet(store: SegmentStore) -> None:
    run = next(_runs)
    scopes = [Scope(f"look-alike-{run}-{agent}", user) for agent, user in LOOK_ALIKE]
    for number, scope in enumerate(scopes):
        assert store.load(scope) is None
        store.save(scope, str(number).encode(), None)
    assert [loaded(store, scope) for scope in scopes] == [str(number).encode() for number in range(len(scopes))]


def test_a_segment_is_no_document(memory: Backend, scope: Scope) -> None:
    """Roles, lifecycle and lists of versions go by the key's beginning."""
    memory.segments.save(scope, b"one", None)
    assert memory.personas.read(scope, ["SOUL.md", "MEMORY.md", "USER.md"]) == {}
    assert segment_key(scope).startswith("segments/")
    assert segment_key(scope).count("/") == 2


@pytest.mark.parametrize("call", ["load", "save a first one", "replace"])
def test_a_store_that_cannot_be_reached_is_told_as_unavailable_in_our_words(
    nowhere: SegmentStore, moto: Template, scope: Scope, call: str
) -> None:
    with pytest.raises(Unavailable) as told:
        nowhere.load(scope) if call == "load" else nowhere.save(scope, b"x", '"tag"' if call == "replace" else None)
    shown = json.dumps(told.value.as_dict())
    assert told.value.retryable
    for secret in (moto.bucket["Name"], scope.agent, "127.0.0.1", "AWS", "botocore", "Endpoint", "segments/"):
        assert secret not in shown


def test_a_bucket_that_is_not_there_is_a_fault_and_not_an_empty_store(moto_memory: Backend, scope: Scope) -> None:
    client = moto_memory.segments._client  # type: ignore[attr-defined]
    lost = S3Segments(client, "no-such-bucket-anywhere")
    for call in (lambda: lost.load(scope), lambda: lost.save(scope, b"x", None)):
        with pytest.raises(Fault) as told:
            call()
        assert "no-such-bucket" not in json.dumps(told.value.as_dict())


def test_a_download_that_breaks_off_is_told_as_unavailable(moto_memory: Backend, scope: Scope) -> None:
    """What arrived is no segment, and none that should be replaced."""
    store = moto_memory.segments
    store.save(scope, b"x" * 100_000, None)

    def cut(parsed: dict[str, object], **_: object) -> None:
        body = parsed["Body"]
        body._raw_stream.read(50_000)  # type: ignore[attr-defined]

    events = store._client.meta.events  # type: ignore[attr-defined]
    events.register("after-call.s3.GetObject", cut)
    try:
        with pytest.raises(Unavailable):
            store.load(scope)
    finally:
        events.unregister("after-call.s3.GetObject", cut)
