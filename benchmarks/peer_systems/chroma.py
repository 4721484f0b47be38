"""chromadb in this process: an HNSW graph, cosine."""

from collections.abc import Sequence
from importlib import metadata
from itertools import count
from typing import Any
from uuid import uuid4

import chromadb
from chromadb.config import Settings

from benchmarks.peer_systems.task import Vectors


def version() -> str:
    return metadata.version("chromadb")


class Chroma:
    """A collection a scope. All clients of a process share one database, hence the names that nobody else has."""

    seconds_apart = 0.0

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
        self._collections: dict[str, Any] = {}
        self._numbers = count()

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        ids = [str(next(self._numbers)) for _ in texts]
        embeddings = [self._vectors.unit(text) for text in texts]
        self._collection(scope).add(ids=ids, embeddings=embeddings, documents=list(texts))
        return ids

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        found = self._collection(scope).query(query_embeddings=[self._vectors.unit(text)], n_results=limit)
        ids: list[str] = found["ids"][0]
        return ids

    def _collection(self, scope: str) -> Any:
        if scope not in self._collections:
            self._collections[scope] = self._client.create_collection(
                uuid4().hex, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
            )
        return self._collections[scope]
