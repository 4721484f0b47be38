"""No model: search goes by words alone."""

from collections.abc import Sequence

from memtools.domain.trace import Embedding


class NoEmbedder:
    """The Embedder of a deployment that wants none."""

    model = ""

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Nothing for each text."""
        return [None] * len(texts)
