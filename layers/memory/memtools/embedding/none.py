"""No model: searches use words only."""

from collections.abc import Sequence

from memtools.domain.trace import Embedding


class NoEmbedder:
    """The Embedder of a deployment without a model."""

    model = ""

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [None] * len(texts)
