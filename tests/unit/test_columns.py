"""The arrays that an index is made of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.domain.trace import Embedding, Stamp, Trace, key_of, spare_id
from memtools.ranking import columns as module
from memtools.ranking.columns import NEVER, Columns, key_of_id, microseconds, signs, total
from memtools.ranking.terms import passages
from numpy.typing import NDArray

from tests.index_lives import DIMENSIONS, IDS, MODEL, NOW, OTHER_MODEL, distinct_traces, traces, vectors


def trace(name: str, content: str = "tea", embedding: Embedding | None = None) -> Trace:
    return Trace(id=name, content=content, created_at=NOW, changed_at=NOW, embedding=embedding)


def arrays(columns: Columns) -> dict[str, Any]:
    """All of them but the sum of floats."""
    found = {name: (array.dtype, array.shape, array.tobytes()) for name, array in columns.arrays() if name != "total"}
    return found | {"names": dict(columns.names), "model": columns.model}


# Ids


def test_the_key_of_a_usual_id_says_its_digits() -> None:
    scope = Scope("agent", "user")
    key = key_of(scope, "tea")
    spare = spare_id(key, Stamp(NOW, "write"))
    assert key_of_id(key) == bytes.fromhex(key[3:]) + bytes(4)
    assert key_of_id(spare) == bytes.fromhex(spare[3:].replace("-", ""))
    assert Columns.of([trace(key), trace(spare)], MODEL).names == {}


def test_no_two_ids_share_a_key() -> None:
    assert len({key_of_id(name) for name in IDS}) == len(IDS)
    assert all(len(key_of_id(name)) == 20 for name in IDS)


@given(traces=distinct_traces(), names=st.lists(st.sampled_from([*IDS, "never seen", f"mt_{'f' * 32}"]), max_size=12))
def test_a_trace_is_found_by_its_id_and_no_other(traces: list[Trace], names: list[str]) -> None:
    columns = Columns.of(traces, MODEL)
    rows = {columns.id(row): row for row in range(len(columns))}
    assert rows.keys() == {one.id for one in traces}
    assert all(columns.key(row) == key_of_id(name) for name, row in rows.items())
    assert columns.find(names).tolist() == [rows.get(name, -1) for name in names]


# What a row says


@given(traces=distinct_traces())
def test_a_row_says_what_its_trace_says(traces: list[Trace]) -> None:
    columns = Columns.of(traces, MODEL)
    assert len(columns) == len(traces)
    by_id = {one.id: one for one in traces}
    for row in range(len(columns)):
        one = by_id[columns.id(row)]
        assert columns.versions[row] == one.version
        assert columns.when[row] == microseconds(one.when)
        assert columns.created[row] == microseconds(one.created_at)
        assert columns.expires[row] == (microseconds(one.expires_at) if one.expires_at else NEVER)
        assert columns.lengths[row] == len(passages(one.content, one.tags, one.occurred_at)[0])
        known = one.embedding is not None and one.embedding.model == MODEL
        vector = one.embedding.vector if one.embedding and known else b""
        assert columns.vectors[row].tobytes() == vector.ljust(columns.vectors.shape[1], b"\0")
        numbers = np.frombuffer(vector, np.int8).astype(float)
        assert columns.norms[row] == pytest.approx(float(np.linalg.norm(numbers)), rel=1e-6)


@given(traces=distinct_traces())
def test_rows_are_ordered_by_time_then_creation_then_key(traces: list[Trace]) -> None:
    columns = Columns.of(traces, MODEL)
    moments = [(columns.when[row], columns.created[row], columns.key(row)) for row in range(len(columns))]
    assert all(one < other for one, other in pairwise(moments))


@given(moment=st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_kept_to_the_microsecond(moment: datetime) -> None:
    number = microseconds(moment)
    assert datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=number) == moment
    assert -(2**63) <= number < NEVER


def test_a_long_text_has_passages_that_overlap() -> None:
    words = [f"w{number}" for number in range(500)]
    columns = Columns.of([trace("a", "tea"), trace("b", " ".join(words))], MODEL)
    rows = dict(zip((columns.id(row) for row in range(2)), columns.passages.tolist(), strict=True))
    assert rows["a"] == 1
    assert rows["b"] == len(columns.lengths) - 1 > 5
    for word in words:
        passages, _ = columns.terms.list(word.encode())
        assert 1 <= len(passages) <= 2
    for one, other in zip(words, words[20:], strict=False):  # words that stand together do so in some passage
        assert set(columns.terms.list(one.encode())[0]) & set(columns.terms.list(other.encode())[0])


def test_a_trace_told_with_the_same_tag_twice_has_it_once() -> None:
    columns = Columns.of([replace(trace("a"), tags=("Home", "HOME "))], MODEL)
    assert columns.tags.keys.tolist() == [fold("Home").encode()]
    assert columns.tags.rows.tolist() == [0]


# Merging


@given(traces=distinct_traces(), data=st.data())
def test_parts_merged_are_the_columns_of_all_their_traces(traces: list[Trace], data: st.DataObject) -> None:
    part_of = data.draw(st.lists(st.integers(0, 2), min_size=len(traces), max_size=len(traces)))
    parts = [
        Columns.of([one for one, at in zip(traces, part_of, strict=True) if at == number], MODEL) for number in range(3)
    ]
    found = Columns.merged(parts, np.arange(len(traces)))
    expected = Columns.of(traces, MODEL)
    assert arrays(found) == arrays(expected)
    assert found.total.tolist() == pytest.approx(expected.total.tolist(), abs=1e-5)


@given(traces=distinct_traces(), data=st.data())
def test_only_rows_that_are_kept_stay(traces: list[Trace], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(traces)))
    parts = [Columns.of(traces[:cut], MODEL), Columns.of(traces[cut:], MODEL)]
    rows = [part.id(row) for part in parts for row in range(len(part))]
    kept = [number for number in range(len(traces)) if data.draw(st.booleans())]
    found = Columns.merged(parts, np.array(kept, np.int64))
    names = {rows[number] for number in kept}
    expected = arrays(Columns.of([one for one in traces if one.id in names], MODEL))
    told = arrays(found)
    # Without any vector left the number of dimensions stays.
    vectors_of = ("vectors", "signs")
    assert {name: told[name] for name in told if name not in vectors_of} == {
        name: expected[name] for name in expected if name not in vectors_of
    }
    assert expected["vectors"][2] in (told["vectors"][2], b"")
    assert not found.vectors.any() or told["signs"] == expected["signs"]


# Vectors


def test_of_vectors_that_differ_in_length_only_the_longest_count() -> None:
    """One model gives one length. Should it ever give another, the rows must still fit together."""
    short, long = (trace(name, embedding=Embedding(MODEL, bytes([1] * size))) for name, size in (("a", 2), ("b", 3)))
    columns = Columns.of([short, long], MODEL)
    assert columns.vectors[columns.find(["a", "b"])].tolist() == [[0, 0, 0], [1, 1, 1]]
    merged = Columns.merged([Columns.of([short], MODEL), Columns.of([long], MODEL)], np.arange(2))
    assert merged.vectors[merged.find(["a", "b"])].tolist() == [[0, 0, 0], [1, 1, 1]]
    assert arrays(merged) == arrays(columns)


def test_vectors_of_another_model_are_left_out() -> None:
    columns = Columns.of([trace("a", embedding=Embedding(OTHER_MODEL, b"\1\2"))], MODEL)
    assert columns.vectors.shape == (1, 0)
    assert columns.norms.tolist() == [0]


@given(some=st.lists(vectors(70), max_size=3))
def test_there_is_a_bit_for_each_number_set_where_it_is_positive(some: list[bytes]) -> None:
    matrix = np.frombuffer(b"".join(some), np.int8).reshape(len(some), 70)
    found = signs(matrix)
    assert found.shape == (2, len(some))
    bits = np.unpackbits(np.ascontiguousarray(found.T).view(np.uint8), axis=1) if some else np.zeros((0, 128))
    assert bits[:, :70].tolist() == (matrix > 0).astype(int).tolist()
    assert not bits[:, 70:].any()


@given(some=st.lists(vectors(), max_size=8))
def test_the_sum_of_directions_is_the_same_in_blocks(some: list[bytes]) -> None:
    matrix: NDArray[np.int8] = np.frombuffer(b"".join(some), np.int8).reshape(len(some), DIMENSIONS)
    norms = np.linalg.norm(matrix.astype(np.float32), axis=1)
    directions = [row / np.linalg.norm(row) for row in matrix.astype(float) if row.any()]
    expected = np.sum(directions, axis=0) if directions else np.zeros(DIMENSIONS)
    with patch.object(module, "_BLOCK", 3):
        assert total(matrix, norms).tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    assert total(matrix, norms).tolist() == pytest.approx(expected.tolist(), abs=1e-5)


@given(one=traces())
def test_the_size_is_that_of_all_arrays(one: Trace) -> None:
    columns = Columns.of([one], MODEL)
    assert columns.size == sum(len(array.tobytes()) for _, array in columns.arrays())
    assert {name for name, _ in columns.arrays()} >= {"keys", "vectors", "terms.keys", "tags.counts"}
