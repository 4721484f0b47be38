"""Makes index terms of texts: Unicode folding, stop words, Snowball stems, pairs of characters, dates in words."""

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


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repeats."""
    words = (_ENCLITIC.sub("", word) for word in _WORD.findall(fold_word(text)))
    kept = [part for word in words for part in _parts(word) if part not in STOP_WORDS]
    stems: list[str] = _stemmer().stemWords(kept)
    return stems


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


def document_terms(content: str, tags: Iterable[str], when: datetime | None) -> list[str]:
    """All terms of a trace."""
    found = terms(content)
    for tag in tags:
        found += terms(tag)
    return found + (date_terms(when) if when else [])
