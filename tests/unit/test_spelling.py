"""Terms one slip away, against a plain definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.ranking.postings import Postings, slips

letters = st.sampled_from("abcé") | st.sampled_from("ab")
words = st.text(letters, min_size=1, max_size=16).filter(lambda word: len(word.encode()) <= 16)


def one_slip(key: bytes, term: bytes) -> bool:
    """A byte more, less or else, or two that changed places."""
    places = range(len(term))
    more = any(key[:at] + key[at + 1 :] == term for at in range(len(key)))
    less = any(term[:at] + term[at + 1 :] == key for at in places)
    other = len(key) == len(term) and sum(a != b for a, b in zip(key, term, strict=True)) == 1
    swapped = any(term[:at] + term[at : at + 2][::-1] + term[at + 2 :] == key for at in places)
    return key != term and (more or less or other or swapped)


def expected(keys: list[bytes], term: bytes) -> list[bytes]:
    if len(term.decode()) < 5 or len(term) >= 32:
        return []
    return [key for key in keys if key[:1] == term[:1] and one_slip(key, term)]


def found(keys: list[str], term: str) -> list[str]:
    return [key.decode() for key in slips(Postings.of([dict.fromkeys(keys, 1)]).keys, term.encode()).tolist()]


@st.composite
def slipped(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A word, and words that slips make of it, one or two after another."""
    word = draw(words)
    near = []
    for _ in range(draw(st.integers(0, 8))):
        one = word
        for _ in range(draw(st.integers(1, 2))):
            at, letter = draw(st.integers(0, len(one))), draw(letters)
            one = draw(
                st.sampled_from(
                    [
                        one[:at] + letter + one[at:],
                        one[:at] + one[at + 1 :],
                        one[:at] + letter + one[at + 1 :],
                        one[:at] + one[at : at + 2][::-1] + one[at + 2 :],
                    ]
                )
            )
        near.append(one)
    return word, [one for one in near if one and len(one.encode()) <= 16]


@given(case=slipped(), others=st.lists(words, max_size=8))
def test_slips_are_those_of_the_plain_definition(case: tuple[str, list[str]], others: list[str]) -> None:
    term = case[0].encode()
    keys = sorted({one.encode() for one in (*case[1], case[0], *others)})
    assert slips(np.array(keys, "S32"), term).tolist() == expected(keys, term)


@pytest.mark.parametrize("term", ["tea", "oboe", "x" * 32, "x" * 60, "", "\0" * 6, "дам", "カス"])
def test_a_word_too_short_or_too_long_is_left_as_it_is(term: str) -> None:
    assert found(["teas", "oboes", "x" * 31, "x" * 32, "x", "дом", "ガス"], term) == []


def test_among_no_words_there_is_none() -> None:
    assert found([], "allergi") == []
    assert slips(np.array([], "S32"), b"allergi").tolist() == []
