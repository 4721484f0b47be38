"""Sentence embeddings by all-MiniLM-L6-v2, a BERT encoder with six layers, in plain numpy.

The int8 weights come from the package `memtools_model`, which build_model.py makes. numpy is imported by the functions
that need it, because this module is imported on the cold start of functions that rarely embed anything.
"""

import json
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.util import find_spec
from math import prod, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memtools.current_call import Metric, increment
from memtools.domain.text import is_english
from memtools.domain.trace import Embedding
from memtools.embedding.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_LONGEST_TEXT = 256  # tokens; `max_seq_length` of the model's sentence_bert_config.json
_LARGEST_BATCH = 256  # tokens with padding; larger ones are not faster and take more memory than these 10 MB
_LENGTH_STEP = 4  # texts are padded to a multiple of this many tokens, which makes matrix products fastest
_LAYERS = 6  # this and the next two constants: the model's config.json
_HEADS = 12
_NORM_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class _Affine:
    """A weight [outputs, inputs] and a bias [outputs] of a linear layer, or both [dimensions] of a LayerNorm."""

    weight: "Floats"
    bias: "Floats"

    def linear(self, inputs: "Floats") -> "Floats":
        """Map [tokens, inputs] to [tokens, outputs].

        OpenBLAS is up to 40 % faster for the few tokens of a short text if the weight is on the left of the product.
        """
        outputs: Floats = (self.weight @ inputs.T).T
        outputs += self.bias
        return outputs

    def normalise(self, inputs: "Floats") -> "Floats":
        """Bring each row [dimensions] to mean 0 and variance 1, then scale and shift it: LayerNorm."""
        import numpy as np

        centred = inputs - inputs.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        normalised: Floats = centred / np.sqrt(variance + np.float32(_NORM_EPSILON)) * self.weight + self.bias
        return normalised


@dataclass(frozen=True, slots=True)
class _Layer:
    """One transformer layer: self-attention, then a feed-forward network, each added to its input and normalised."""

    qkv: _Affine
    attention: _Affine
    attention_norm: _Affine
    expand: _Affine
    contract: _Affine
    output_norm: _Affine

    def apply(self, states: "Floats", mask: "Floats") -> "Floats":
        """Return the next states of all tokens, [texts * tokens, dimensions]; mask as in `_attend`."""
        attended = self.attention.linear(_attend(self.qkv.linear(states), mask))
        states = self.attention_norm.normalise(states + attended)
        expanded = self.contract.linear(_gelu(self.expand.linear(states)))
        return self.output_norm.normalise(states + expanded)


class MiniLM:
    """Maps texts to vectors. Texts with similar meanings have similar directions; it works best for English."""

    model: str = "all-MiniLM-L6-v2/int8"
    dimensions: int = 384

    def __init__(self, tokenizer: WordPiece, tensors: "dict[str, NDArray[Any]]") -> None:
        """Take the tensors of build_model.py by name; `load` is the usual way to get an instance."""
        self._tokenizer = tokenizer
        # The word table is half of all weights, and a text needs few of its rows, so it stays int8 and on disk.
        self._words = tensors["words.weight"], tensors["words.scale"]
        self._positions = _dequantise(tensors, "positions")
        self._norm = _affine(tensors, "embedding_norm")
        parts = [field.name for field in fields(_Layer)]
        self._layers = [_Layer(*(_affine(tensors, f"layers.{i}.{part}") for part in parts)) for i in range(_LAYERS)]

    @classmethod
    def load(cls) -> Self:
        """Read the installed model. Raises LookupError if the package `memtools_model` is not installed."""
        spec = find_spec("memtools_model")
        if spec is None or spec.origin is None:
            raise LookupError("package memtools_model is not installed; build_model.py makes it")
        package = Path(spec.origin).parent
        vocab = (package / "vocab.txt").read_text(encoding="utf-8").splitlines()
        return cls(WordPiece(vocab), _read_tensors(package / "model.safetensors"))

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in order: 384 signed bytes, the largest of magnitude 127.

        Only a vector's direction has a meaning, so divide dot products by both norms. Tokens after the first 256 of a
        text (some 200 English words) are ignored. An empty text also has a vector.
        """
        tokens = [self._tokenizer.encode(text, _LONGEST_TEXT) for text in texts]
        vectors: dict[int, bytes] = {}
        for batch in _batches([len(ids) for ids in tokens]):
            pooled = self._pool([tokens[index] for index in batch])
            vectors.update(zip(batch, _to_bytes(pooled), strict=True))
        return [vectors[index] for index in range(len(texts))]

    def _pool(self, batch: list[list[int]]) -> "Floats":
        """Return the sum [texts, dimensions] of each text's token states, which has their mean's direction."""
        import numpy as np

        lengths = np.array([len(ids) for ids in batch])
        longest = -(-int(lengths.max()) // _LENGTH_STEP) * _LENGTH_STEP
        present = np.arange(longest) < lengths[:, None]
        padded = np.zeros(present.shape, dtype=np.intp)
        padded[present] = np.concatenate(batch)

        weight, scale = self._words
        embedded = weight[padded] * scale[padded] + self._positions[:longest]
        states = self._norm.normalise(embedded.reshape(-1, self.dimensions))
        mask = np.where(present, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for layer in self._layers:
            states = layer.apply(states, mask)
        pooled: Floats = (states.reshape(embedded.shape) * present[:, :, None]).sum(axis=1)
        return pooled


class LocalEmbedder:
    """The Embedder that runs inside the function: MiniLM, loaded before its first text.

    A text that is not in English gets an empty vector. MiniLM makes one of any text, but then what it says is noise.
    """

    model = MiniLM.model

    @cached_property
    def _loaded(self) -> MiniLM:
        return MiniLM.load()

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        if not texts:
            return []
        try:
            understood = [text for text in dict.fromkeys(texts) if is_english(text)]
            vectors = dict(zip(understood, self._loaded.embed(understood), strict=True))
            return [Embedding(self.model, vectors.get(text, b"")) for text in texts]
        except Exception:  # noqa: BLE001 - whatever a model can raise
            increment(Metric.EMBEDDING_FAILED)
            return [None] * len(texts)


def _attend(qkv: "Floats", mask: "Floats") -> "Floats":
    """Return the attended values [texts * tokens, dimensions] of queries, keys and values side by side.

    The mask [texts, 1, 1, tokens] is 0 where a token is and very negative where there is padding.
    """
    import numpy as np

    texts, tokens = mask.shape[0], mask.shape[-1]
    size = qkv.shape[1] // (3 * _HEADS)
    queries, keys, values = qkv.reshape(texts, tokens, 3, _HEADS, size).transpose(2, 0, 3, 1, 4)
    scores = (queries * np.float32(1 / sqrt(size))) @ keys.swapaxes(-1, -2)
    scores += mask
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores, out=scores)
    attended: Floats = weights @ values / weights.sum(axis=-1, keepdims=True)
    return attended.swapaxes(1, 2).reshape(len(qkv), _HEADS * size)


def _gelu(x: "Floats") -> "Floats":
    """Return x times the normal distribution function of x.

    The tail of the normal distribution beyond |x| is 1/2 erfc(|x| / sqrt 2). Its erfc is the rational approximation
    7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions, with an error of at most 1.5e-7, which is
    enough for float32.
    """
    import numpy as np

    size = np.abs(x)
    t = np.reciprocal(1 + np.float32(0.3275911 * sqrt(0.5)) * size)
    erfc = np.zeros_like(t)
    for coefficient in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        erfc += np.float32(coefficient)
        erfc *= t
    erfc *= np.exp(np.float32(-0.5) * size * size)
    result: Floats = np.maximum(x, 0) - np.float32(0.5) * size * erfc
    return result


def _to_bytes(vectors: "Floats") -> list[bytes]:
    """Scale each row so that its largest magnitude is 127, and round it to int8."""
    import numpy as np

    scaled = vectors * (127 / np.abs(vectors).max(axis=1, keepdims=True))
    return [row.tobytes() for row in np.rint(scaled).astype(np.int8)]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of all texts, longest first, in batches of at most `_LARGEST_BATCH` tokens with padding."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    while order:
        size = max(1, _LARGEST_BATCH // lengths[order[0]])
        yield order[:size]
        order = order[size:]


def _affine(tensors: "dict[str, NDArray[Any]]", name: str) -> _Affine:
    """Return the linear layer with that name, or the LayerNorm, which has no scale."""
    quantised = f"{name}.scale" in tensors
    return _Affine(_dequantise(tensors, name) if quantised else tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def _dequantise(tensors: "dict[str, NDArray[Any]]", name: str) -> "Floats":
    """Return the float32 matrix of an int8 matrix and its scale for each row."""
    matrix: Floats = tensors[f"{name}.weight"] * tensors[f"{name}.scale"]
    return matrix


def _read_tensors(path: Path) -> "dict[str, NDArray[Any]]":
    """Map a safetensors file into memory and return its arrays by name. Pages are read when they are used.

    The format is the header's length as 8 bytes little-endian, the header in JSON, and the arrays' bytes.
    """
    import numpy as np

    types: dict[str, np.dtype[Any]] = {"I8": np.dtype(np.int8), "F32": np.dtype(np.float32)}
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(content[:8], "little")
    tensors: dict[str, NDArray[Any]] = {}
    for name, entry in json.loads(content[8:start]).items():
        shape, offset = entry["shape"], start + entry["data_offsets"][0]
        tensors[name] = np.frombuffer(content, types[entry["dtype"]], prod(shape), offset).reshape(shape)
    return tensors
