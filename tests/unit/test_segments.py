"""Segments: columns as bytes, and back without a copy."""

import json
from binascii import crc32
from datetime import timedelta
from hashlib import blake2b
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Trace, key_of
from memtools.freshness.segment import Segment, Unusable, intact
from memtools.ranking.columns import Columns
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank

from tests.index_lives import IDS, MODEL, NOW, distinct_traces

SEGMENT = Segment(
    Columns.of([Trace(id=name, content=f"likes tea, {name}", created_at=NOW, changed_at=NOW) for name in IDS], MODEL),
    NOW,
)
DATA = SEGMENT.to_bytes()


HABITS = (
    "prefers {} to anything else for breakfast",
    "has been allergic to {} since childhood and carries medicine",
    "asked to be reminded about {} every other Thursday morning",
    "wants the weekly report on {} as a table with short notes",
)


def realistic(count: int, dimensions: int) -> list[Trace]:
    vectors = np.random.default_rng(7).integers(-127, 128, (count, dimensions), np.int8)
    scope = Scope("agent", "user")
    facts = [f"Maria {HABITS[number % 4].format(f'topic{number}')} (ticket {number // 3})." for number in range(count)]
    return [
        Trace(
            id=key_of(scope, content),
            content=content,
            created_at=NOW + timedelta(minutes=number),
            changed_at=NOW,
            tags=("preferences",) if number % 3 else (),
            occurred_at=NOW - timedelta(days=number) if number % 2 else None,
            embedding=Embedding(MODEL, vector.tobytes()),
        )
        for number, (content, vector) in enumerate(zip(facts, vectors, strict=True))
    ]


def assert_same(one: Segment, other: Segment) -> None:
    assert one.read_at == other.read_at
    assert (one.columns.model, dict(one.columns.names)) == (other.columns.model, dict(other.columns.names))
    ours, theirs = dict(one.columns.arrays()), dict(other.columns.arrays())
    assert list(ours) == list(theirs)
    for name, array in ours.items():
        assert (array.dtype, array.shape) == (theirs[name].dtype, theirs[name].shape)
        assert array.tobytes() == theirs[name].tobytes()


# There and back


@given(traces=distinct_traces(), after=st.timedeltas(timedelta(0), timedelta(days=9)))
def test_a_segment_comes_back_as_it_was(traces: list[Trace], after: timedelta) -> None:
    segment = Segment(Columns.of(traces, MODEL), NOW + after)
    data = segment.to_bytes()
    assert intact(data)
    assert_same(Segment.of_bytes(data, MODEL), segment)
    assert Segment.of_bytes(data, MODEL).to_bytes() == data


def test_what_is_read_is_read_in_place() -> None:
    segment = Segment.of_bytes(DATA, MODEL)
    start = np.frombuffer(DATA, np.uint8).__array_interface__["data"][0]
    for _, array in segment.columns.arrays():
        at = array.__array_interface__["data"][0]
        assert not array.flags.owndata
        assert not array.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous
        assert not array.nbytes or start < at <= start + len(DATA) - array.nbytes


# Whether it is one


def test_cut_off_anywhere_it_is_not_intact() -> None:
    assert not any(intact(DATA[:end]) for end in range(len(DATA)))
    assert not intact(DATA + b"\0")
    assert not intact(DATA[1:])


@given(place=st.integers(0, len(DATA) - 1), other=st.integers(1, 255))
def test_with_any_byte_changed_it_is_not_intact(place: int, other: int) -> None:
    assert not intact(DATA[:place] + bytes([DATA[place] ^ other]) + DATA[place + 1 :])


@given(data=st.binary(max_size=100), led=st.booleans())
def test_garbage_is_not_intact(data: bytes, led: bool) -> None:
    assert not intact(DATA[:8] * led + data)


@pytest.mark.parametrize(
    "data", [b"", b"memseg02", b"memseg02" + bytes(4), b"memseg02" + bytes(8), b"memseg00" + DATA[8:]]
)
def test_nothing_a_beginning_and_another_format_are_not_intact(data: bytes) -> None:
    assert not intact(data)


def test_vectors_of_another_model_are_of_no_use() -> None:
    with pytest.raises(Unusable):
        Segment.of_bytes(DATA, "another")


def rewritten(**changes: Any) -> bytes:
    """The segment's bytes with a right checksum and another header, or other arrays."""
    size = int.from_bytes(DATA[12:16], "little")
    header = json.loads(DATA[16 : 16 + size])
    start = 16 + -(-size // 8) * 8
    arrays = DATA[start:]
    for name, value in changes.items():
        if name == "cut":
            arrays = arrays[:-value]
        elif value is None:
            del header[name]
        elif isinstance(value, dict) and name == "arrays":
            header["arrays"] = {one: kind for one, kind in {**header["arrays"], **value}.items() if kind}
        else:
            header[name] = value
    text = json.dumps(header).encode()
    body = len(text).to_bytes(4, "little") + text.ljust(-(-len(text) // 8) * 8, b"\0") + arrays
    return b"memseg02" + crc32(body).to_bytes(4, "little") + body


ROWS = len(IDS)


@pytest.mark.parametrize(
    "changes",
    [
        {"model": None},
        {"model": 7},
        {"readAt": None},
        {"readAt": "2026-01-01T00:00:00"},
        {"readAt": "soon"},
        {"readAt": 5},
        {"arrays": None},
        {"arrays": []},
        {"names": None},
        {"names": {"zz": "mt_1"}},
        {"names": {"00": 5}},
        {"names": []},
        {"cut": 8},
        {"cut": 4000},
        *({"arrays": {name: None}} for name in ("keys", "when", "vectors", "total", "terms.keys", "tags.starts")),
        {"arrays": {"more": ["<u4", [1]]}},
        {"arrays": {"versions": ["<u4", [ROWS - 1]]}},
        {"arrays": {"versions": ["<u4", [2**40]]}},
        {"arrays": {"versions": ["<u4", [-1]]}},
        {"arrays": {"versions": ["<f4", [ROWS]]}},
        {"arrays": {"versions": ["|O", [ROWS]]}},
        {"arrays": {"when": ["<i8", [ROWS, 1]]}},
        {"arrays": {"norms": ["<f4", [0]]}},
    ],
    ids=str,
)
def test_whatever_is_odd_in_a_segment_makes_it_unusable(changes: dict[str, Any]) -> None:
    """FAULTS B3: a right checksum over an odd content is no reason to fail a scope's searches for ever."""
    data = rewritten(**changes)
    assert intact(data)
    with pytest.raises(Unusable):
        Segment.of_bytes(data, MODEL)


@given(place=st.integers(16, len(DATA) - 1), values=st.binary(min_size=1, max_size=24))
def test_any_bytes_under_a_right_checksum_are_read_or_refused(place: int, values: bytes) -> None:
    """What is accepted can be searched and folded into without an error."""
    body = DATA[12:place] + values + DATA[place + len(values) :]
    data = b"memseg02" + crc32(body).to_bytes(4, "little") + body
    try:
        segment = Segment.of_bytes(data, MODEL)
    except Unusable:
        return
    index = Index(segment.columns)
    trace = Trace(id=IDS[0], content="tea", created_at=NOW, changed_at=NOW, version=9)
    for one in (index, index.fold([trace]), index.compacted(NOW)):
        list(rank(one, Query(text="likes green tea", embeddings=[None], now=NOW), floor=0.0))


# What it costs


def test_a_trace_takes_at_most_620_bytes() -> None:
    traces = realistic(1000, 384)
    assert len({one.id for one in traces}) == 1000
    data = Segment(Columns.of(traces, MODEL), NOW).to_bytes()
    assert len(data) <= 620 * len(traces)


def test_a_trace_takes_the_bytes_of_its_vector_and_some_hundred_more() -> None:
    bare, full = (len(Segment(Columns.of(realistic(500, size), MODEL), NOW).to_bytes()) for size in (0, 384))
    assert (full - bare) / 500 == pytest.approx(384 + 384 / 8, abs=4)
    assert bare / 500 < 200


def test_the_same_traces_give_the_same_bytes_in_whatever_order_they_come() -> None:
    traces = realistic(50, 8)
    one, other = (Segment(Columns.of(some, MODEL), NOW).to_bytes() for some in (traces, traces[::-1]))
    assert blake2b(one).digest() == blake2b(other).digest()
