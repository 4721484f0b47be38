"""Made-up sentences about people, to fill a scope up to a size."""

import random
from collections.abc import Iterable, Iterator
from itertools import chain

_PEOPLE = (
    "Ada", "Bela", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Iris", "Jonas", "Kira", "Luis", "Mona",
    "Nils", "Oona", "Pavel", "Rosa", "Selim", "Tova", "Uwe",
)  # fmt: skip
_HABITS = (
    "likes to", "never learned to", "wants to", "used to", "is afraid to", "is too busy to",
    "promised a friend to", "gets up early to", "saves money to", "meets friends to",
)  # fmt: skip
_DEEDS = (
    "bake bread", "sail", "paint portraits", "repair old radios", "play the cello", "keep bees", "run a marathon",
    "learn Portuguese", "grow tomatoes", "write letters", "collect stamps", "climb", "sing in a choir", "ride horses",
    "build model trains", "watch birds", "swim in the lake", "read crime novels", "cook for many guests", "knit",
)  # fmt: skip
_WHEN = (
    "on Sundays", "in the summer", "before work", "with the children", "near the harbour", "when it rains",
    "in the mountains", "after dinner", "at an aunt's house", "far from the coast", "in the old town",
    "whenever there is time", "for the neighbours", "during the holidays", "in a small club", "in the cellar",
)  # fmt: skip


def sentences(seed: int = 1) -> Iterator[str]:
    """Some 60,000 distinct sentences in a random order, the same for the same seed."""
    every = [
        f"{person} {habit} {deed} {when}."
        for person in _PEOPLE
        for habit in _HABITS
        for deed in _DEEDS
        for when in _WHEN
    ]
    random.Random(seed).shuffle(every)
    return iter(every)


def filled(texts: Iterable[str], more: Iterable[str], size: int) -> list[str]:
    """Distinct texts, those of ``more`` last, up to ``size``. Raises ValueError where there are too few."""
    found: dict[str, str] = {}
    for text in chain(texts, more):
        if len(found) == size:
            break
        if text.strip():
            found.setdefault(" ".join(text.split()).casefold(), text)
    if len(found) < size:
        raise ValueError(f"there are {len(found)} distinct sentences for a scope of {size}")
    return list(found.values())
