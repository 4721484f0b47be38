"""When two texts are the same fact."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.text import digest, fold

SPACES = [" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\x1f"]


@pytest.mark.long
def test_folding_is_stable_for_every_character() -> None:
    characters = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    folded = [fold(character) for character in characters]
    assert [fold(one) for one in folded] == folded


@given(text=st.text())
def test_composed_and_decomposed_are_the_same_fact(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text)) == fold(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes TEA", "likes tea"),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("ǰ", "J\u030c"),
        ("ΐ", "Ι\u0308\u0301"),
        ("Élan", "e\u0301lan"),
        ("Привет", "ПРИВЕТ"),
    ],
)
def test_case_does_not_make_another_fact(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(words=st.lists(st.from_regex(r"[a-z0-9é猫]+", fullmatch=True), min_size=1, max_size=5), data=st.data())
def test_white_space_does_not_make_another_fact(words: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(["", *SPACES]))
    for word in words:
        text += word + data.draw(st.sampled_from(SPACES))
    assert fold(text) == " ".join(words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("likes tea", "liked tea"),
        ("likes tea", "likes tea."),
        ("re-sent", "resent"),
        ("an ice", "a nice"),
        ("resume", "résumé"),
        ("x²", "x2"),
        ("", "0"),
    ],
)
def test_other_words_marks_and_accents_make_another_fact(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(one=st.lists(st.text(max_size=4), max_size=4), other=st.lists(st.text(max_size=4), max_size=4))
def test_lists_share_a_digest_only_when_equal(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


def test_where_one_part_ends_counts() -> None:
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest("", "abc")}) == 5


def test_a_digest_is_the_same_in_every_process() -> None:
    assert digest("tea", "é") == "f2a690154caa24fa2ef5a949c7694b64"
