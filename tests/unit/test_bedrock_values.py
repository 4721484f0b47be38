"""Values of Bedrock parameters, by a corpus of what was seen and of what could be."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from memtools.errors import InvalidArguments
from memtools.wire.bedrock_values import value_of

CORPUS = json.loads((Path(__file__).parents[1] / "data" / "bedrock_values.json").read_text("utf-8"))


def test_the_corpus_is_large_and_without_repeats() -> None:
    assert len(CORPUS) >= 60
    assert len({(case["type"], case["text"], case.get("times")) for case in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case['type']}: {case['why']}")
def test_a_value_is_understood_or_refused(case: dict[str, Any]) -> None:
    text = case["text"] * case.get("times", 1)
    if "value" in case:
        value = value_of("facts", case["type"], text)
        assert (value, type(value)) == (case["value"], type(case["value"]))
        return
    with pytest.raises(InvalidArguments, match="`facts`") as refusal:
        value_of("facts", case["type"], text)
    assert refusal.value.details == {"argument": "facts"}
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None
    if case["type"] == "array":
        assert '["first item", "second item"]' in refusal.value.message


@pytest.mark.parametrize("kind", ["string", "integer", "number", "boolean", "array", "object", None, 7, []])
@pytest.mark.parametrize("value", [None, 7, 7.5, True, ["a", "b"], {"a": 1}])
def test_a_value_that_is_no_text_is_taken_as_it_is(kind: Any, value: Any) -> None:
    assert value_of("facts", kind, value) == value


@given(st.lists(st.text()))
@example(["a, b", '"', "[", "\\", "\n"])
def test_a_json_array_of_texts_comes_as_it_is(items: list[str]) -> None:
    assert value_of("facts", "array", json.dumps(items)) == items
    assert value_of("facts", "array", json.dumps(items, ensure_ascii=False)) == items


@given(st.text(st.sampled_from("[]{}\"',=ab \n")))
def test_a_list_is_never_more_items_than_its_commas_allow(text: str) -> None:
    try:
        value = value_of("facts", "array", text)
    except InvalidArguments:
        return
    assert len(value) <= text.count(",") + 1


@given(st.lists(st.text(st.sampled_from("ab c")).filter(str.strip), min_size=2, max_size=3))
def test_a_sentence_is_never_split(items: list[str]) -> None:
    """Unquoted, several items come apart only where each is a word."""
    text = f"[{', '.join(items)}]"
    if any(" " in item.strip() for item in items):
        with pytest.raises(InvalidArguments):
            value_of("facts", "array", text)
    else:
        assert value_of("facts", "array", text) == [item.strip() for item in items]


@given(st.sampled_from(["string", "integer", "number", "boolean", "array", "other"]), st.text())
def test_any_text_is_understood_or_refused(kind: str, text: str) -> None:
    try:
        value_of("facts\ud800", kind, text)
    except InvalidArguments as refusal:
        json.dumps(refusal.as_dict(), ensure_ascii=False).encode()
