"""Takes texts apart: messages into sentences, traces into passages, and all into index terms.

Terms are made by Unicode folding, stop words, Snowball stems, pairs of characters, and dates in words. Identifiers are
indexed whole and by their parts.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

import regex
import Stemmer

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+(?:'[\p{L}\p{M}\p{N}]+)?(?:'s\b)?")
# Scripts without spaces between words.
_UNSPACED = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]+)")
_HAN = regex.compile(r"\p{Han}")
_VOICING = 8  # the combining class of marks that make a different kana, which are not accents
# Parts of identifiers: `orderLine`, `HTTPServer`, `order_line`.
_CAMEL = regex.compile(r"(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")
_LETTERS = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{N}_]+")
# Numbers of accounts, books and telephones, which people group as they like: `DE12 3456 7890`, `978-3-16`.
_GROUPED = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}{0,3}\p{N}+(?:[ \u00a0./()-]{1,3}[\p{N}X]+)+(?![\p{L}\p{N}])")
_SHORTEST_NUMBER = 6  # digits
_DIGITS = regex.compile(r"[^\p{L}\p{N}]+")
# The terms of a passage, and how many it shares with the next one, so that words that stand together do so in one.
_PASSAGE = 96
_SHARED = 24
# A sentence ends with a mark of its script and white space (ideographs need none), or with the line.
_END_OF_SENTENCE = regex.compile(r"(?<=[.!?;…؟؛।॥։][\"'”’»)\]]{0,3})\s+|(?<=[。！？；])|\n", regex.VERSION1)
_ASKS = regex.compile(r"[?？؟;⸮՞]['\"”’»)\]]*\s*$")
# A longer sentence is searched for in windows of words. Of a longer message, neighbouring sentences are joined.
_LONGEST_SENTENCE = 40
_WINDOW = 20
_STEP = 12
_MOST = 24
_ENCLITIC = regex.compile(r"(?:n't|'(?:s|re|ve|ll|d|m)?)$")

# The closed-class words of English: articles, pronouns, prepositions, auxiliaries. They belong to the grammar of a
# sentence, not to its subject. They include what remains of "can't" and the like, but not numbers, names of days and
# months, or "not".
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by ca can
    could did do does doing down during each few for from further had has have having he her here hers herself
    him himself his how i if in into is it its itself just me more most my myself of off on once only or other
    our ours ourselves out over own same sha she should so some such than that the their theirs them themselves
    then there these they this those through to too under until up very was we were what when where which while
    who whom whose why will with wo would you your yours yourself yourselves
    """.split()  # noqa: SIM905 - a list with one line for each word would not be clearer
)

# A capitalised word, except the first, which is always capitalised. It is probably a name.
_CAPITALISED = regex.compile(r"(?<=\s)[^\w\s]*(\p{Lu}[\w'’]*)")

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905


def fold_word(text: str) -> str:
    """The word without differences in width, case and accents (NFKD without combining marks, case folded)."""
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'")).casefold()
    if plain.isascii():
        return plain
    kept = (character for character in plain if unicodedata.combining(character) in (0, _VOICING))
    return unicodedata.normalize("NFC", "".join(kept))


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def words(text: str) -> list[str]:
    """The words of a text, folded, before they are stemmed and without the parts of identifiers."""
    return [_ENCLITIC.sub("", word) for word in _WORD.findall(fold_word(text))]


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repeats."""
    kept = [part for word in words(_with_identifiers(text)) for part in _parts(word) if part not in STOP_WORDS]
    stems: list[str] = _stemmer().stemWords(kept)
    return stems


def _with_identifiers(text: str) -> str:
    """The text with the parts after each identifier, and grouped numbers also without their gaps."""
    text = _LETTERS.sub(_split_up, unicodedata.normalize("NFKC", text))
    return _GROUPED.sub(_closed_up, text)


def _split_up(word: regex.Match[str]) -> str:
    parts = [part for piece in word[0].split("_") for part in _CAMEL.split(piece) if part]
    return f"{word[0]} {' '.join(parts)}" if len(parts) > 1 else word[0]


def _closed_up(number: regex.Match[str]) -> str:
    whole = _DIGITS.sub("", number[0])
    return f"{number[0]} {whole}" if sum(map(str.isdigit, whole)) >= _SHORTEST_NUMBER else number[0]


def _parts(word: str) -> Iterator[str]:
    """The word itself, or, in scripts without spaces, each pair of adjacent characters and each ideograph."""
    if word.isascii():
        yield word
        return
    for part in filter(None, _UNSPACED.split(word)):
        if len(part) == 1 or not _UNSPACED.fullmatch(part):
            yield part
        else:
            yield from map("".join, pairwise(part))
            yield from _HAN.findall(part)


def date_terms(when: datetime) -> list[str]:
    """The terms of a date as people say it: year, month, day of the month and of the week."""
    return terms(f"{when.year} {_MONTHS[when.month - 1]} {when.day} {_DAYS[when.weekday()]}")


@lru_cache(maxsize=1)
def _dates() -> frozenset[str]:
    return frozenset(terms(" ".join((*_MONTHS, *_DAYS))))


def names(text: str) -> list[str]:
    """The terms of probable names: capitalised words, except the first, months and days."""
    spelt = (match[1] for match in _CAPITALISED.finditer(text.strip()))
    found = (term for word in spelt for term in terms(word))
    return [term for term in dict.fromkeys(found) if term not in _dates()]


def passages(content: str, tags: Iterable[str], when: datetime | None) -> list[list[str]]:
    """The terms of each passage of a trace. Its tags and its date belong to every passage."""
    found = terms(content)
    common = [term for tag in tags for term in terms(tag)] + (date_terms(when) if when else [])
    starts = range(0, max(len(found) - _SHARED, 1), _PASSAGE - _SHARED)
    return [found[start : start + _PASSAGE] + common for start in starts]


def sentences(text: str) -> list[str]:
    """The sentences of a message, or windows of a sentence of more than 40 words; at most 24."""
    found = [
        part for sentence in _END_OF_SENTENCE.split(text) if sentence.strip() for part in _windows(sentence.strip())
    ]
    return _merged(found) if len(found) > _MOST else found or [text]


def asks(sentence: str) -> bool:
    """Whether it ends with a question mark."""
    return bool(_ASKS.search(sentence))


def _windows(sentence: str) -> list[str]:
    told = sentence.split()
    if len(told) <= _LONGEST_SENTENCE:
        return [sentence]
    return [" ".join(told[start : start + _WINDOW]) for start in range(0, len(told) - _WINDOW + _STEP, _STEP)]


def _merged(found: list[str]) -> list[str]:
    """The same text in fewer parts: each is joined with those that follow it."""
    size = -(-len(found) // _MOST)
    return [" ".join(found[start : start + size]) for start in range(0, len(found), size)]
