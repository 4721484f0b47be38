"""LangGraph's InMemoryStore: cosine against every vector, with numpy."""

from collections.abc import Sequence
from importlib import metadata
from itertools import count

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from benchmarks.peer_systems.task import DIMENSIONS, Vectors


def version() -> str:
    return metadata.version("langgraph")


class LangGraph:
    """A namespace a scope."""

    seconds_apart = 0.0

    def __init__(self, vectors: Vectors) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [vectors.unit(text).tolist() for text in texts]

        self._store = InMemoryStore(index={"dims": DIMENSIONS, "embed": embed, "fields": ["text"]})
        self._numbers = count()

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        ids = [str(next(self._numbers)) for _ in texts]
        self._store.batch([PutOp((scope,), name, {"text": text}) for name, text in zip(ids, texts, strict=True)])
        return ids

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        return [item.key for item in self._store.search((scope,), query=text, limit=limit)]
