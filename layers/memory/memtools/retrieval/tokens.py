"""Texts to index terms: Unicode folding, stop words, Snowball stems, dates in words."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

import Stemmer

_WORD = re.compile(r"\w+(?:'\w+)?")
_ENCLITIC = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m)?)$")

# The closed-class words of English: articles, pronouns, prepositions, auxiliaries. They say how a sentence is built,
# not what it is about. With what is left of "can't" and the like; without numbers, names of days and months, and "not".
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by ca can
    could did do does doing down during each few for from further had has have having he her here hers herself
    him himself his how i if in into is it its itself just me more most my myself of off on once only or other
    our ours ourselves out over own same sha she should so some such than that the their theirs them themselves
    then there these they this those through to too under until up very was we were what when where which while
    who whom whose why will with wo would you your yours yourself yourselves
    """.split()  # noqa: SIM905 - a list of a line a word says no more
)

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905


def fold_word(text: str) -> str:
    """Width, case and accents folded away (NFKD without combining marks, case folded)."""
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'")).casefold()
    return "".join(character for character in plain if not unicodedata.combining(character))


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repeats."""
    words = (_ENCLITIC.sub("", word) for word in _WORD.findall(fold_word(text)))
    kept = [word for word in words if word and word not in STOP_WORDS]
    stems: list[str] = _stemmer().stemWords(kept)
    return stems


def date_terms(when: datetime) -> list[str]:
    """A date as people say it: year, month, day of the month and of the week."""
    return terms(f"{when.year} {_MONTHS[when.month - 1]} {when.day} {_DAYS[when.weekday()]}")


def document_terms(content: str, tags: Iterable[str], when: datetime | None) -> list[str]:
    """All terms under which a trace is found."""
    found = terms(content)
    for tag in tags:
        found += terms(tag)
    return found + (date_terms(when) if when else [])
