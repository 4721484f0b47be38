"""BERT's uncased WordPiece tokenizer: text to the token ids its embedding model was trained on."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

# The code point blocks that BERT treats as CJK ideographs, each of which is a word (google-research/bert,
# tokenization.py, `_is_chinese_char`), without 0x2B820 to 0x2B91F, which the `tokenizers` library leaves out. Kana and
# Hangul are not among them.
_IDEOGRAPHS = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})  # control, format, private use, surrogate; not "Cn", unassigned
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_LONGEST_WORD = 100  # characters; a longer word is [UNK]; `max_input_chars_per_word` of the model's tokenizer.json
_CACHED = 8192  # words or characters kept, some hundred bytes each


class WordPiece:
    """Splits text into word pieces of one vocabulary.

    Returns the ids that the `tokenizers` library returns with the model's tokenizer.json, except for some 500 marks and
    punctuation signs of rare scripts, because the library's Unicode tables are older than Python's.
    """

    def __init__(self, vocab: Sequence[str]) -> None:
        """Take the pieces in the order of their ids. Pieces inside a word begin with `##`."""
        self._ids = {piece: number for number, piece in enumerate(vocab)}
        self._unknown = (self._ids["[UNK]"],)
        self._pieces = lru_cache(maxsize=_CACHED)(self._split_word)

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids of `[CLS]`, the pieces of `text` and `[SEP]`: at most `limit` (2 or more) ids."""
        ids = [self._ids["[CLS]"]]
        for word in _words(text):
            if len(ids) >= limit - 1:
                break
            ids.extend(self._pieces(word) if len(word) <= _LONGEST_WORD else self._unknown)
        return [*ids[: limit - 1], self._ids["[SEP]"]]

    def _split_word(self, word: str) -> tuple[int, ...]:
        """Cut a word into its longest known pieces from the left; `[UNK]` if any part is unknown."""
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._ids), None)
            if end is None:
                return self._unknown
            found.append(self._ids[prefix + word[start:end]])
            start = end
        return tuple(found)


def _words(text: str) -> Iterator[str]:
    """Yield the words, punctuation marks, ideographs and verbatim special tokens of a text."""
    for part in _SPECIAL.split(text):
        if _SPECIAL.fullmatch(part):
            yield part
        else:
            yield from part.translate(_FOLDING).split()


@lru_cache(maxsize=_CACHED)
def _fold(code: int) -> str:
    """Fold one code point: drop control characters, accents and capitals; add spaces around what is a word by itself.

    Folding single characters also keeps a final capital sigma from becoming a final small one, which the model's
    vocabulary does not have.
    """
    char = chr(code)
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in _DROPPED:
        return ""
    if char.isspace():
        return " "
    alone = any(code in block for block in _IDEOGRAPHS)
    letters = (c for c in unicodedata.normalize("NFD", char) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if alone or _is_punctuation(c) else c for c in "".join(letters).lower())


def _is_punctuation(char: str) -> bool:
    """Whether BERT treats a character as punctuation: any ASCII symbol, and Unicode's category P."""
    return unicodedata.category(char).startswith("P") or (char.isascii() and not char.isalnum() and not char.isspace())


class _Folding:
    """A translation table for `str.translate` that computes each entry when it is first used."""

    def __getitem__(self, code: int) -> str:
        return _fold(code)


_FOLDING = _Folding()
