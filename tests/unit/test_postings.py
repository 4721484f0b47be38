"""Inverted lists as arrays."""

from collections.abc import Mapping

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from memtools.ranking.postings import Postings, key_of_term

TERMS = ("a", "tea", "t", "null\0", "null", "\0", "東京都庁舎前", "x" * 16, "x" * 17, "x" * 18, "é" * 9)
documents = st.lists(st.dictionaries(st.sampled_from(TERMS), st.integers(1, 300), max_size=5), max_size=6)


def lists(postings: Postings) -> dict[str, list[tuple[int, int]]]:
    """What stands under which term."""
    found = {term: postings.list(key_of_term(term)) for term in TERMS}
    return {
        term: list(zip(rows.tolist(), counts.tolist(), strict=True))
        for term, (rows, counts) in found.items()
        if len(rows)
    }


def expected(some: list[dict[str, int]]) -> dict[str, list[tuple[int, int]]]:
    return {
        term: [(row, min(counts[term], 255)) for row, counts in enumerate(some) if term in counts]
        for term in TERMS
        if any(term in counts for counts in some)
    }


def same(one: Postings, other: Postings) -> bool:
    return all(
        getattr(one, name).dtype == getattr(other, name).dtype
        and getattr(one, name).tolist() == getattr(other, name).tolist()
        for name in ("keys", "starts", "rows", "counts")
    )


def test_no_two_terms_share_a_key() -> None:
    assert len({np.array([key_of_term(term)], "S32")[0] for term in TERMS}) == len(TERMS)
    assert all(0 < len(key_of_term(term)) <= 32 for term in TERMS)


@given(term=st.text(min_size=1))
def test_a_key_is_the_term_itself_where_it_is_short_enough(term: str) -> None:
    key, data = key_of_term(term), term.encode()
    assert (key == data) == (len(data) <= 32 and not data.endswith(b"\0"))
    assert bytes(np.array([key], "S32")[0]) == key


@given(some=documents)
def test_a_term_leads_to_the_documents_that_have_it_in_their_order(some: list[dict[str, int]]) -> None:
    postings = Postings.of(some)
    assert lists(postings) == expected(some)
    assert postings.keys.tolist() == sorted(set(postings.keys.tolist()))
    assert [len(rows) for rows, _ in (postings.list(b""), postings.list(b"violin"))] == [0, 0]


@given(some=documents, data=st.data())
def test_parts_merged_are_the_postings_of_all_that_is_kept(some: list[dict[str, int]], data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(len(some))))
    kept = [data.draw(st.booleans()) for _ in some]
    cut = data.draw(st.integers(0, len(some)))
    places = np.full(len(some), -1)
    whole: list[Mapping[str, int]] = []
    for row in rows:
        if kept[row]:
            places[row] = len(whole)
            whole.append(some[row])
    parts = [Postings.of(some[:cut]), Postings.of([]), Postings.of(some[cut:])]
    merged = Postings.merged(parts, [places[:cut], places[:0], places[cut:]])
    assert same(merged, Postings.of(whole))
