"""A memory that is only searched: the ranking and the model, without stores, tools and transports."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from memtools.domain.trace import Embedding, Trace
from memtools.embedding.minilm import LocalEmbedder
from memtools.ranking.index import Index
from memtools.ranking.rank import Query, rank
from memtools.ranking.terms import sentences

FLOOR = 0.25  # RelevanceFloor, unless it is set
_START = datetime(2026, 1, 1, tzinfo=UTC)
_ASKED = _START + timedelta(days=1000)


class Memory:
    """Searches among facts. Each text is embedded once."""

    def __init__(self) -> None:
        self._embedder = LocalEmbedder()
        self._embeddings: dict[str, Embedding | None] = {}

    def ask(self, facts: Sequence[str], question: str, apart: timedelta = timedelta(seconds=1)) -> list[str]:
        """The facts that a search returns, best first; they were told so far apart."""
        traces = [
            Trace(id=str(place), content=fact, created_at=_START + place * apart, changed_at=_START, embedding=one)
            for place, (fact, one) in enumerate(zip(facts, self._embedded(facts), strict=True))
        ]
        query = Query(text=question, embeddings=self._embedded(sentences(question)), now=_ASKED)
        index = Index.empty(self._embedder.model).fold(traces)
        return [facts[int(one.id)] for one in rank(index, query, floor=FLOOR)]

    def _embedded(self, texts: Sequence[str]) -> list[Embedding | None]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._embeddings]
        self._embeddings |= zip(missing, self._embedder.embed(missing), strict=True)
        return [self._embeddings[text] for text in texts]
