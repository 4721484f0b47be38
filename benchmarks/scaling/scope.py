"""A scope of any size, made up: its traces, an index of them, and questions that find ten of them each."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

import numpy as np
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Trace, key_of
from memtools.embedding.minilm import MiniLM
from memtools.ranking.columns import Columns
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank

from benchmarks.peer_systems.filler import sentences

LIMIT = 10
_EMBEDDED = 400  # sentences that the model embeds
_DISTURBED = 12  # the standard deviation of what is added to each number of a vector, whose largest is 127
_END = datetime(2026, 1, 1, tzinfo=UTC)
_APART = timedelta(hours=1)


def traces(scope: Scope, size: int, model: MiniLM) -> Iterator[Trace]:
    """So many traces, an hour apart, the last some time ago."""
    chance = np.random.default_rng(1)
    known = list(islice(sentences(), _EMBEDDED))
    vectors = [np.frombuffer(vector, np.int8) for vector in model.embed(known)]
    for number, (text, vector) in enumerate(islice(cycle(zip(known, vectors, strict=True)), size)):
        moment = _END - (size - number) * _APART
        disturbed = np.clip(vector + chance.normal(0, _DISTURBED, len(vector)), -127, 127).astype(np.int8)
        content = f"{text.removesuffix('.')}, and once more for the {number + 1}th time."
        yield Trace(
            id=key_of(scope, content),
            content=content,
            created_at=moment,
            changed_at=moment,
            embedding=Embedding(model.model, disturbed.tobytes()),
        )


def index_of(kept: Sequence[Trace]) -> Index:
    """An index in one part."""
    return Index(Columns.of(kept, MiniLM.model))


def questions(index: Index, model: MiniLM, number: int, floor: float) -> list[tuple[str, list[str]]]:
    """So many questions that find ten traces which score ``floor`` or more, and the ids of these."""
    found: list[tuple[str, list[str]]] = []
    asked = list(islice(sentences(seed=2), 20 * number))
    random.Random(3).shuffle(asked)
    for sentence in asked:
        text = f"Who {sentence.split(' ', 1)[1].removesuffix('.')}?"
        (vector,) = model.embed([text])
        query = Query(text=text, embeddings=[Embedding(model.model, vector)], now=_END)
        ids = [one.id for one in islice(rank(index, query, floor=floor), LIMIT)]
        if len(ids) == LIMIT:
            found.append((text, ids))
        if len(found) == number:
            return found
    raise ValueError(f"only {len(found)} questions find {LIMIT} traces")
