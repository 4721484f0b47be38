"""What a system's process is given: scopes to fill and questions to ask, in one file, and all vectors in another."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 384
_SCOPES = "scopes.json"
_TEXTS = "texts.json"
_VECTORS = "vectors.bin"


@dataclass(frozen=True, slots=True)
class Call:
    """Texts that are added together, and when they were said, in ISO 8601."""

    texts: list[str]
    moment: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """What one user remembers, and what is asked of that."""

    name: str
    calls: list[Call]
    questions: list[str]


# Stages by name, each played in a system of its own.
Stages = Mapping[str, Sequence[Scope]]


class Vectors:
    """The vector of every text, computed beforehand. White space around a text makes no difference."""

    def __init__(self, texts: Iterable[str], vectors: Iterable[bytes]) -> None:
        self._bytes = {text.strip(): vector for text, vector in zip(texts, vectors, strict=True)}

    def __contains__(self, text: str) -> bool:
        return text.strip() in self._bytes

    def signed_bytes(self, text: str) -> bytes:
        """The vector as our model makes it."""
        return self._bytes[text.strip()]

    def unit(self, text: str) -> "NDArray[np.float32]":
        """The vector of length 1 in the same direction."""
        import numpy as np

        vector = np.frombuffer(self.signed_bytes(text), np.int8).astype(np.float32)
        direction: NDArray[np.float32] = vector / np.linalg.norm(vector)
        return direction

    def items(self) -> Iterable[tuple[str, bytes]]:
        """Each text with its vector."""
        return self._bytes.items()


def write(folder: Path, stages: Stages, vectors: Vectors) -> None:
    """Put the task into ``folder``."""
    scopes = {name: [asdict(scope) for scope in given] for name, given in stages.items()}
    (folder / _SCOPES).write_text(json.dumps(scopes), "utf-8")
    (folder / _TEXTS).write_text(json.dumps([text for text, _ in vectors.items()]), "utf-8")
    (folder / _VECTORS).write_bytes(b"".join(vector for _, vector in vectors.items()))


def read(folder: Path) -> tuple[dict[str, list[Scope]], Vectors]:
    """The task in ``folder``."""
    stages = json.loads((folder / _SCOPES).read_text("utf-8"))
    texts = json.loads((folder / _TEXTS).read_text("utf-8"))
    data = (folder / _VECTORS).read_bytes()
    vectors = (data[start : start + DIMENSIONS] for start in range(0, len(data), DIMENSIONS))
    return {name: [_scope(one) for one in given] for name, given in stages.items()}, Vectors(texts, vectors)


def _scope(given: Mapping[str, list[Mapping[str, list[str]]]]) -> Scope:
    return Scope(**{**given, "calls": [Call(**call) for call in given["calls"]]})  # type: ignore[arg-type]
