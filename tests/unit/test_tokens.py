"""The terms under which texts are found."""

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.domain.trace import Trace
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank
from memtools.ranking.terms import date_terms, fold_word, names, passages, terms

NOW = datetime(2026, 3, 1, tzinfo=UTC)


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
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("한국어", unicodedata.normalize("NFD", "한국어")),
        ("क़लम", "क\u093cलम"),
    ],
)
def test_accents_width_and_case_do_not_matter(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@given(text=st.text())
def test_composed_and_decomposed_have_the_same_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


@given(text=st.text())
def test_any_text_has_terms_without_error(text: str) -> None:
    assert all(term and term == fold_word(term) and not set(term) & set(" .,\n\u0301") for term in terms(text))


@pytest.mark.parametrize("form", ["maria", "Maria's", "maria’s", "MARIA'S", "maria'"])
def test_a_possessive_is_found_by_the_name(form: str) -> None:
    assert terms(form) == terms("maria")


@pytest.mark.parametrize("form", ["we're", "I'm", "they've", "she'll", "he'd", "it's", "can't", "don’t do"])
def test_contractions_of_stop_words_are_not_terms(form: str) -> None:
    assert set(terms(form)) <= {"don"}


def test_an_apostrophe_within_a_name_stays() -> None:
    assert terms("O'Brien") == terms("O’Brien's") == terms("o'brien'") == ["o'brien"]
    assert terms("o'brien'sx") == ["o'brien", "sx"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("preference", "preferences"), ("prefers", "prefer"), ("running", "runs"), ("meeting", "meetings")],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_stop_words_are_not_terms() -> None:
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
        ("snake_case", ["snake_cas", "snake", "case"]),
        ("2026-03-01", ["2026", "03", "01", "20260301"]),
        ("naïve—but fine", ["naiv", "fine"]),
    ],
)
def test_punctuation_separates_words(text: str, expected: list[str]) -> None:
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
    (found,) = passages("Likes tea", ["drinks", "at Work"], datetime(2026, 3, 1, tzinfo=UTC))
    assert found == [*terms("likes tea drinks work"), "2026", "march", "1", "sunday"]
    assert passages("Likes tea", [], None) == [terms("likes tea")]


# Other scripts


def finds(query: str, content: str) -> bool:
    """Whether the query's words alone find it, in a scope with another trace."""
    traces = [
        Trace(id=name, content=text, created_at=NOW, changed_at=NOW) for name, text in (("a", content), ("b", "…"))
    ]
    ranked = rank(Index.empty("m").fold(traces), Query(text=query, embeddings=[None], now=NOW), floor=0)
    return [one.id for one in ranked] == ["a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("北京大学", ["北京", "京大", "大学", "北", "京", "大", "学"]),
        ("水", ["水"]),
        ("東京へ行った", ["東京", "京へ", "へ行", "行っ", "った", "東", "京", "行"]),
        ("ラーメン", ["ラー", "ーメ", "メン"]),
        ("ชาเขียว", ["ชา", "าเ", "เข", "ขี", "ีย", "ยว"]),
        ("我用Python写", ["我用", "我", "用", "python", "写"]),
        ("iPhone15を買う", ["iphone15", "phone15", "を買", "買う", "買"]),
        ("北京。上海", ["北京", "北", "京", "上海", "上", "海"]),
        ("𠮷野", ["𠮷野", "𠮷", "野"]),
    ],
)
def test_scripts_without_spaces_have_pairs_and_ideographs_as_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("大学", "他在北京大学学习物理"),
        ("茶", "她喜欢喝绿茶"),
        ("東京", "来週は出張で東京に行きます"),
        ("メン", "昼はラーメンを食べた"),
        ("ﾒｶﾞﾈ", "メガネを買った"),
        ("ชา", "เธอชอบดื่มชาเขียว"),
        ("မြ", "မြန်မာ"),
        ("커피", "민수는 커피 좋아한다"),
        ("चाय", "उसे चाय पसंद है"),
        ("ＴＥＡ", "green tea"),
        ("Привет", "он сказал привет"),
        ("קפה", "היא אוהבת קפה"),
        ("قهوة", "تحب قَهْوة"),
    ],
)
def test_a_word_is_found_in_whatever_script(query: str, content: str) -> None:
    assert finds(query, content)


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("大阪", "来週は出張で東京に行きます"),
        ("ガス", "カスを捨てた"),
        ("はは", "ぱぱとばば"),
        ("coffee", "커피"),
        ("亭", "去东京"),
        ("дом", "дам"),
    ],
)
def test_a_word_that_is_not_there_is_not_found(query: str, content: str) -> None:
    assert not finds(query, content)


@pytest.mark.parametrize(("one", "other"), [("ガ", "カ"), ("ぱ", "は"), ("ば", "ぱ"), ("ブ", "プ")])
def test_a_voicing_mark_makes_another_kana(one: str, other: str) -> None:
    assert terms(one) != terms(other)
    assert terms(unicodedata.normalize("NFD", one)) == terms(one)


@pytest.mark.parametrize("word", ["हिन्दी", "किताब", "বাংলা", "தமிழ்", "ქართული", "한국어"])
def test_vowel_signs_do_not_cut_words(word: str) -> None:
    assert len(terms(word)) == 1
    assert terms(f"{word} tea {word}।") == [*terms(word), "tea", *terms(word)]


def test_vowel_signs_tell_words_apart() -> None:
    assert len({tuple(terms(word)) for word in ("कल", "काल", "कला", "किल", "कुल")}) == 5


@given(text=st.text(st.sampled_from("東京大学のラーメンชาเขียว"), min_size=2, max_size=12), data=st.data())
def test_any_two_characters_of_a_run_are_found_in_it(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 2))
    assert set(terms(text[at : at + 2])) <= set(terms(text))


# Names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does Maria play?", ["maria"]),
        ("Where did Jon and Maria meet in Porto?", ["jon", "maria", "porto"]),
        ("When was Maria's birthday?", ["maria"]),
        ("the parents’ house near O’Brien’s", ["o'brien"]),
        ('Did "Maria" or (Jon) or ‘Ana’ call?', ["maria", "jon", "ana"]),
        ("What did Maria tell Maria?", ["maria"]),
        ("What did Élodie and Łukasz say?", ["elodi", "łukasz"]),
        ("Что любит Мария?", ["мария"]),
        ("Maria plays the oboe", []),
        ("  Tell me about tea", []),
        ("\nTell me about tea", []),
        ('"Tell me about tea"', []),
        ("what did i do on Monday in May, or on a Sunday in December?", []),
        ("What should I do, and where'd I've been?", []),
        ("what does maria play?", []),
        ("", []),
        (" ", []),
        ("東京のマリア", []),
    ],
)
def test_names_are_capitalised_words_but_for_the_first_and_for_dates(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@given(text=st.text())
def test_a_text_in_small_letters_has_no_names(text: str) -> None:
    assert names(text.casefold()) == []


@given(text=st.text(st.sampled_from("abAB '’\".-é")))
def test_names_are_terms_each_once(text: str) -> None:
    found = names(text)
    assert all(term == fold_word(term) for term in found)
    assert len(set(found)) == len(found)


def test_an_acronym_is_a_name() -> None:
    assert names("who works at NASA?") == ["nasa"]
