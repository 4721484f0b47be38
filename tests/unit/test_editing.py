"""Edits of a persona document: whole and literal, or refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from memtools.domain.editing import add, entries, is_replaced, remove, replace, require_within_limit
from memtools.errors import Ambiguous, InvalidArguments, NotFound, TooLarge, ToolError

NOTES = """\
# Notes

Prose - with a dash, kept as it is.

- Likes tea
- Works in Porto,
  from nine to five
  - on Fridays from home
- Has two cats

## Later

* Plays the oboe
+ Sails
"""

pieces = st.sampled_from(
    ["a", "b", " ", "\n", "\n\n", "- ", "* ", "-", "+", "  ", "\t", "é", "#", "$1", "\\1", ".*", "(", "\r\n"]
)
texts = st.lists(pieces, max_size=10).map("".join) | st.text(max_size=20)
lines = st.sampled_from(
    ["- a", "- b c", "  more of it", "  - nested", "", "# Heading", "prose", "* star", "- -", "  ", "- $1", "---"]
)
documents = st.lists(lines, max_size=8).map(lambda them: "".join(f"{line}\n" for line in them))
endings = st.sampled_from(["", "\n"])


def added(document: str, entry: str) -> str:
    """``add``, where there is something to add."""
    try:
        return add(document, entry)
    except InvalidArguments:
        assume(False)
        raise


def refused(edit: Callable[..., str], *arguments: str) -> ToolError:
    with pytest.raises(ToolError) as refusal:
        edit(*arguments)
    return refusal.value


# Adding


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("Speaks Basque", "Speaks Basque"),
        ("  Speaks Basque \n", "Speaks Basque"),
        ("- Speaks Basque", "Speaks Basque"),
        ("*   Speaks Basque", "Speaks Basque"),
        ("+\tSpeaks Basque", "Speaks Basque"),
        ("-5 degrees is cold", "-5 degrees is cold"),
        ("*Never* call early", "*Never* call early"),
        ("first\nsecond", "first\nsecond"),
        ("first\n\nsecond", "first\n\nsecond"),
        ("first\n- second", "first\n- second"),
        ("first\n    deeper", "first\n    deeper"),
        ("# Not a heading", "# Not a heading"),
    ],
)
def test_an_added_entry_is_found_again_to_the_letter(given_: str, kept: str) -> None:
    assert entries(add(NOTES, given_)) == [*entries(NOTES), kept]
    assert entries(add("", given_)) == [kept]


@given(document=documents, ending=endings, text=texts)
def test_whatever_is_added_is_one_entry(document: str, ending: str, text: str) -> None:
    document = document.removesuffix("\n") + ending
    before = entries(document)
    after = entries(added(document, text))
    stripped = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    bare = stripped[2:].lstrip() if stripped[:2] in ("- ", "* ", "+ ", "-\t", "*\t", "+\t") else stripped
    assert bare in after
    assert after == (before if bare in before else [*before, bare])


@given(document=documents, ending=endings, text=texts)
def test_adding_twice_changes_nothing_more(document: str, ending: str, text: str) -> None:
    once = added(document.removesuffix("\n") + ending, text)
    assert add(once, text) == once


@given(document=documents, text=texts)
def test_adding_leaves_all_that_was_there_byte_for_byte(document: str, text: str) -> None:
    assert added(document, text).startswith(document)


@pytest.mark.parametrize("known", ["Likes tea", "- Likes tea", " Likes tea\n", "* Plays the oboe"])
def test_an_entry_known_already_is_not_added_again(known: str) -> None:
    assert add(NOTES, known) == NOTES


def test_an_entry_that_only_begins_like_another_is_added() -> None:
    assert entries(add(NOTES, "Likes")) == [*entries(NOTES), "Likes"]
    assert entries(add(NOTES, "likes tea")) == [*entries(NOTES), "likes tea"]


def test_text_in_prose_is_no_entry() -> None:
    assert "kept as it is." in NOTES
    assert add(NOTES, "Prose - with a dash, kept as it is.") != NOTES


def test_a_document_without_a_final_line_break_gets_one() -> None:
    assert add("- a", "b") == "- a\n- b\n"


@pytest.mark.parametrize("text", ["", " ", "\n", "-", "- ", "*", "+ ", "- -", "\u3000"])
def test_an_empty_entry_is_refused(text: str) -> None:
    error = refused(add, NOTES, text)
    assert (error.code, error.details["argument"]) == ("invalid_arguments", "text")


def test_an_entry_of_punctuation_is_text() -> None:
    assert entries(add("", "*+")) == ["*+"]


# Reading entries


def test_entries_include_their_nested_ones() -> None:
    assert entries(NOTES) == [
        "Likes tea",
        "Works in Porto,\nfrom nine to five\n- on Fridays from home",
        "Has two cats",
        "Plays the oboe",
        "Sails",
    ]


def test_a_blank_line_within_an_entry_does_not_end_it() -> None:
    assert entries("- a\n\n  more of it\n\n- b\n\nprose\n") == ["a\n\nmore of it", "b"]


def test_entries_are_returned_without_carriage_returns() -> None:
    assert entries("# Notes\r\n\r\n- a\r\n- b\r\n") == ["a", "b"]
    assert add("- a\r\n- b\r\n", "b") == "- a\r\n- b\r\n"


# Replacing


@given(document=documents.filter(str.strip), new=texts.filter(lambda text: text and "\n" not in text), data=st.data())
def test_a_replacement_there_and_back_gives_the_same_bytes(document: str, new: str, data: st.DataObject) -> None:
    line = data.draw(st.sampled_from([line for line in document.split("\n") if line]))
    start = data.draw(st.integers(0, len(line) - 1))
    old = line[start : data.draw(st.integers(start + 1, len(line)))]
    try:
        there = replace(document, old, new)
        back = replace(there, new, old)
    except Ambiguous:
        assume(False)
    assert back == document


@given(left=texts, right=texts, old=st.text(min_size=1, max_size=8), new=st.text(max_size=8))
def test_replacing_is_literal_and_touches_nothing_else(left: str, right: str, old: str, new: str) -> None:
    document = left + old + right
    assume(not {"\n", "\r"} & set(old + new))
    assume(document.find(old) == document.rfind(old))
    assert replace(document, old, new) == left + new + right


@pytest.mark.parametrize("sign", [".*", "\\d+", "$1", "\\1", "\\g<0>", "^", "(a|b)", "[x]", "{0}", "%s", "&", "\\n"])
def test_no_character_is_special(sign: str) -> None:
    document = f"- costs 10 {sign} a day\n- other\n"
    assert replace(document, sign, "euros") == "- costs 10 euros a day\n- other\n"
    assert replace("- costs 10 euros a day\n", "euros", sign) == f"- costs 10 {sign} a day\n"
    assert remove(document, f"costs 10 {sign} a day") == "- other\n"
    assert isinstance(refused(replace, "- nothing like it", sign + "?", "x"), NotFound)


def test_case_and_white_space_have_to_be_exact() -> None:
    for near in ("likes tea", "Likes  tea", "Likes tea "):
        assert isinstance(refused(replace, NOTES, near, "x"), NotFound)


def test_a_text_of_several_lines_is_found_with_and_without_indentation() -> None:
    stored = "Works in Porto,\n  from nine to five"
    told = "Works in Porto,\nfrom nine to five"
    assert replace(NOTES, stored, "Works") == replace(NOTES, told, "Works")
    assert entries(replace(NOTES, told, "Works"))[1] == "Works\n- on Fridays from home"


def test_a_text_over_several_entries_is_found() -> None:
    assert replace("- a\n- b\n- c\n", "a\n- b", "x") == "- x\n- c\n"


def test_new_lines_put_in_for_an_entry_stay_in_the_entry() -> None:
    document = add(add("", "one\ntwo"), "last")
    assert entries(replace(document, "one\ntwo", "three\nfour\nfive")) == ["three\nfour\nfive", "last"]


def test_a_replacement_with_more_lines_stays_in_the_entry() -> None:
    document = add(add("", "one"), "last")
    assert entries(replace(document, "one", "one\nmore of it")) == ["one\nmore of it", "last"]


def test_a_text_that_ends_with_a_line_break_occurs_once() -> None:
    assert replace("- a\n  b\n", "a\n", "x\n") == "- x\n  b\n"


# Removing


@given(document=documents, text=texts)
def test_removing_an_entry_gives_the_document_before_it_was_added(document: str, text: str) -> None:
    after = added(document, text)
    assume(after != document)
    entry = entries(after)[-1]
    try:
        assert remove(after, entry) == document
    except Ambiguous:
        assume(False)


@pytest.mark.parametrize("text", ["Likes tea", "- Likes tea"])
def test_the_bullet_goes_with_its_text(text: str) -> None:
    assert remove(NOTES, text) == NOTES.replace("- Likes tea\n", "")


@pytest.mark.parametrize(
    ("document", "text", "left"),
    [
        ("- a\n- b", "b", "- a\n"),
        ("- a", "a", ""),
        ("- a \n- b\n", "a", "- b\n"),
        ("* a\n+ b\n", "b", "* a\n"),
        ("- a\r\n- b\r\n- c\r\n", "b", "- a\r\n- c\r\n"),
        ("- a\r\n- b\r\n", "- b", "- a\r\n"),
        ("- a\n  - b\n  - c\n", "b", "- a\n  - c\n"),
        ("- a\n  - b\n  - c\n", "- b", "- a\n  - c\n"),
        ("- x\n- a\n- b\n- y\n", "a\n- b", "- x\n- y\n"),
        ("- x\n- a\n  b\n- y\n", "a\nb", "- x\n- y\n"),
        ("- tea and milk\n", " and milk", "- tea\n"),
        ("# Head\n\nprose\n\n- a\n", "prose", "# Head\n\n\n\n- a\n"),
        ("1. a\n", "a", "1. \n"),
    ],
)
def test_what_is_left_after_a_removal(document: str, text: str, left: str) -> None:
    assert remove(document, text) == left


@pytest.mark.parametrize("text", ["Works in Porto,", "- Works in Porto,"])
def test_an_entry_with_more_lines_keeps_them(text: str) -> None:
    assert "  from nine to five\n  - on Fridays from home\n" in remove(NOTES, text)


def test_nested_entries_do_not_move_to_the_entry_above() -> None:
    left = remove("- x\n- parent\n  - child\n", "parent")
    assert entries(left)[0] == "x"
    assert "child" in entries(left)[1]


def test_lines_after_a_blank_one_do_not_move_to_the_entry_above() -> None:
    left = remove("- x\n- first of two\n\n  second paragraph\n", "first of two")
    assert entries(left)[0] == "x"


def test_a_line_break_given_with_the_text_harms_no_other_line() -> None:
    assert remove("- a\n- b\n", "- a\n") == "- b\n"
    assert remove("- a\n\n## Head\n", "- a\n") == "\n## Head\n"


def test_the_next_entry_does_not_grow_a_second_bullet() -> None:
    assert remove("- a\n- b\n", "a\n") == "- b\n"


# Refusing


@given(document=documents, text=texts.filter(bool))
def test_only_a_unique_occurrence_is_edited(document: str, text: str) -> None:
    assume("\n" not in text)
    count = sum(document.startswith(text, place) for place in range(len(document)))
    for edit in (partial(replace, document, text, "new"), partial(remove, document, text)):
        if count == 1:
            assert edit() != document or text == "new"
        else:
            with pytest.raises(NotFound if count == 0 else Ambiguous) as refusal:
                edit()
            if count:
                assert len(refusal.value.details["occurrences"]) == count


@pytest.mark.parametrize("edit", [lambda text, old: replace(text, old, "x"), remove])
def test_a_missing_text_is_refused_with_the_entries(edit: Callable[[str, str], str]) -> None:
    error = refused(edit, NOTES, "Likes coffee")
    assert error.code == "not_found"
    assert error.details == {"entries": entries(NOTES)}


@pytest.mark.parametrize("edit", [lambda text, old: replace(text, old, "x"), remove])
def test_a_repeated_text_is_refused_with_its_lines(edit: Callable[[str, str], str]) -> None:
    error = refused(edit, "# Tea\n\n- green tea\n- black tea, strong tea\n", "tea")
    assert error.code == "ambiguous"
    assert error.details["occurrences"] == [
        {"line": 3, "text": "- green tea"},
        {"line": 4, "text": "- black tea, strong tea"},
        {"line": 4, "text": "- black tea, strong tea"},
    ]


@pytest.mark.parametrize(("text", "part", "count"), [("- aaa", "aa", 2), ("- ababa", "aba", 2), ("- aaaa", "aa", 3)])
def test_overlapping_occurrences_are_counted(text: str, part: str, count: int) -> None:
    assert len(refused(replace, text, part, "x").details["occurrences"]) == count
    assert len(refused(remove, text, part).details["occurrences"]) == count


def test_the_same_lines_stored_in_two_ways_are_two_occurrences() -> None:
    error = refused(remove, "- a\n  b\n\na\nb\n", "a\nb")
    assert [one["line"] for one in error.details["occurrences"]] in ([1, 4], [4, 1])


def test_an_empty_text_is_refused() -> None:
    for error in (refused(replace, NOTES, "", "x"), refused(remove, NOTES, ""), refused(replace, "", "", "x")):
        assert isinstance(error, InvalidArguments)
        assert error.details["argument"] == "text"


# Limits


def test_a_document_may_be_as_large_as_its_limit() -> None:
    require_within_limit("x" * 100, 100, current="")
    with pytest.raises(TooLarge) as refusal:
        require_within_limit("x" * 101, 100, current="")
    assert (refusal.value.details["size"], refusal.value.details["limit"]) == (101, 100)


def test_a_document_beyond_the_limit_can_only_shrink() -> None:
    require_within_limit("x" * 149, 100, current="x" * 150)
    for size in (150, 151):
        with pytest.raises(TooLarge):
            require_within_limit("x" * size, 100, current="y" * 150)


def test_the_limit_counts_characters() -> None:
    require_within_limit("é" * 100, 100, current="")


def test_a_refusal_names_the_longest_entries() -> None:
    text = add(add(add(add("# Notes\n", "b" * 20), "short"), "c" * 30), "a" * 10)
    with pytest.raises(TooLarge) as refusal:
        require_within_limit(text, 50, current=text)
    longest: list[dict[str, Any]] = refusal.value.details["longest"]
    assert longest == [
        {"length": 30, "entry": "c" * 30},
        {"length": 20, "entry": "b" * 20},
        {"length": 10, "entry": "a" * 10},
    ]


# Whole stories


# Line ends


def crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


mixed = st.lists(st.sampled_from(["a", "b", "- ", "  ", "\n", "\r\n"]), min_size=1, max_size=8).map("".join)


@given(document=documents, text=mixed, new=mixed)
def test_a_document_keeps_its_own_line_ends(document: str, text: str, new: str) -> None:
    """E4: every edit does to a document with CRLF what it does to the same document with LF, whatever is given."""

    def outcome(edit: Callable[..., str], *arguments: str) -> str:
        try:
            return edit(*arguments)
        except ToolError as error:
            return error.code

    for edit, given_ in ((add, (text,)), (remove, (text,)), (replace, (text, new))):
        plain = outcome(edit, document, *(one.replace("\r\n", "\n") for one in given_))
        assert "\r" not in plain
        for spelled in (given_, tuple(map(crlf, given_))):
            assert outcome(edit, document, *spelled) == plain
            assert outcome(edit, crlf(document), *spelled) == (crlf(plain) if document else plain)
    assert entries(crlf(document)) == entries(document)


@pytest.mark.parametrize("text", ["one\ntwo", "one\r\ntwo", "one\rtwo"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_text_is_found_with_any_line_end(text: str, end: str) -> None:
    """E4: as it was added, with the document's line end, or with the other one."""
    document = add(f"# Notes{end}", text)
    assert document == f"# Notes{end}- one{end}  two{end}"
    assert add(document, text) == document
    assert replace(document, text, "1\n2\r\n3") == f"# Notes{end}- 1{end}  2{end}  3{end}"
    assert remove(document, text) == f"# Notes{end}"


def test_the_first_line_end_is_the_documents() -> None:
    """An operator's mixed document: what is added takes the first one, and nothing else changes."""
    assert add("a\r\nb\n", "c") == "a\r\nb\n- c\r\n"
    assert add("a\nb\r\n", "c") == "a\nb\r\n- c\n"
    assert replace("a\r\nb\nc", "b", "x\ny") == "a\r\nx\r\ny\nc"


def test_half_a_line_end_is_never_taken() -> None:
    assert remove("a\r\nb", "\n") == "ab"
    assert replace("a\r\nb", "\nb", "!") == "a!"
    assert refused(remove, "a\r\n\r\nb", "\n").details["occurrences"] == [
        {"line": 1, "text": "a"},
        {"line": 2, "text": ""},
    ]


# Edits that are there already


@pytest.mark.parametrize(
    ("document", "old", "new", "done"),
    [
        ("- a cat and dog", "cat", "cat and dog", True),
        ("- a cat", "cat", "cat and dog", False),
        ("- a cat and dog, a cat", "cat", "cat and dog", False),
        ("- a cat and dog, a cat and dog", "cat", "cat and dog", True),
        ("- a dog", "cat", "cat and dog", False),
        ("- a cat", "cat", "dog", False),
        ("- aaa", "a", "aa", True),
        ("- a\r\n  b and c", "a\nb", "a\nb and c", True),
        ("- a", "a", "", False),
        ("", "a", "aa", False),
    ],
)
def test_a_replacement_is_done_where_nothing_is_left_outside_of_it(
    document: str, old: str, new: str, done: bool
) -> None:
    """A4: the new text contains the old one, and the document has the old one only there."""
    assert is_replaced(document, old, new) is done


@given(left=documents, right=documents, around=st.tuples(mixed, mixed))
def test_a_replacement_by_more_is_done_after_it_was_made(left: str, right: str, around: tuple[str, str]) -> None:
    """A4: any new text with the old one in it, in any document."""
    old, new = "cat", "cat".join(around)
    assume(new != old)
    document = f"{left}- a cat\n{right}"
    assert not is_replaced(document, old, new)
    assert is_replaced(replace(document, old, new), old, new)
