"""The terms under which texts are found."""

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memtools.retrieval.tokens import date_terms, document_terms, fold_word, terms

FAST = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "CAFE"),
        ("cafe\u0301", "café"),
        ("ＡＢＣ１２", "abc12"),
        ("Straße", "STRASSE"),
        ("ŁÓDŹ", "łódź"),
        ("ﬁsh", "fish"),
        ("Ελλάδα", "ΕΛΛΑΔΑ"),
        ("İzmir", "izmir"),
        ("user’s", "user's"),
    ],
)
def test_accents_width_and_case_do_not_matter(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@FAST
@given(text=st.text())
def test_composed_and_decomposed_have_the_same_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


@FAST
@given(text=st.text())
def test_no_text_is_too_strange(text: str) -> None:
    assert all(term and term == fold_word(term) and not set(term) & set(" .,\n\u0301") for term in terms(text))


@pytest.mark.parametrize("form", ["maria", "Maria's", "maria’s", "MARIA'S", "maria'"])
def test_a_possessive_is_found_by_the_name(form: str) -> None:
    assert terms(form) == terms("maria")


@pytest.mark.parametrize("form", ["we're", "I'm", "they've", "she'll", "he'd", "it's", "can't", "don’t do"])
def test_short_forms_of_stop_words_say_nothing(form: str) -> None:
    assert set(terms(form)) <= {"don"}


def test_an_apostrophe_within_a_name_stays() -> None:
    assert terms("O'Brien") == ["o'brien"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("preference", "preferences"), ("prefers", "prefer"), ("running", "runs"), ("meeting", "meetings")],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_how_a_sentence_is_built_says_nothing() -> None:
    assert terms("What is the one that you would have been?") == terms("one")
    assert terms("the of and") == terms("") == terms(" .,;!? ") == []


@pytest.mark.parametrize("word", ["not", "no", "may", "monday", "7", "2026"])
def test_words_that_change_the_meaning_stay(word: str) -> None:
    assert len(terms(word)) == 1


def test_terms_keep_order_and_repeats() -> None:
    assert terms("tea, cake and tea") == ["tea", "cake", "tea"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail@example.org", ["mail", "exampl", "org"]),
        ("snake_case", ["snake_cas"]),
        ("2026-03-01", ["2026", "03", "01"]),
        ("naïve—but fine", ["naiv", "fine"]),
    ],
)
def test_marks_part_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_date_is_found_as_people_say_it() -> None:
    found = date_terms(datetime(2026, 3, 1, tzinfo=UTC))
    for said in ("March 1, 2026", "Sunday", "in March", "1 March 2026", "sundays"):
        assert set(terms(said)) <= set(found)
    assert not set(terms("Monday April 2025")) & set(found)


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_has_its_name(month: int) -> None:
    when = datetime(2026, month, 2, tzinfo=UTC)
    assert set(date_terms(when)) == {"2026", "2", *terms(when.strftime("%B %A"))}


def test_a_document_is_found_by_content_tags_and_date() -> None:
    found = document_terms("Likes tea", ["drinks", "at Work"], datetime(2026, 3, 1, tzinfo=UTC))
    assert found == [*terms("likes tea drinks work"), "2026", "march", "1", "sunday"]
    assert document_terms("Likes tea", [], None) == terms("likes tea")
