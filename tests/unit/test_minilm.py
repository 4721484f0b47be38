"""The sentence embedder against the released float32 model, and what its users rely on."""

import json
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtools.adapters.archive import checking
from memtools.domain.trace import Embedding
from memtools.embedding import minilm
from memtools.embedding.minilm import LocalEmbedder, MiniLM
from numpy.typing import NDArray

from tests.examples import share

# Unit vectors by torch and transformers: mean of the token states, texts cut to 256 tokens, as the model is configured.
GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "minilm_golden.json").read_text("utf-8"))
TEXTS: list[str] = [entry["text"] for entry in GOLDEN]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM.load()


def unit(vector: bytes) -> NDArray[np.float64]:
    values = np.frombuffer(vector, dtype=np.int8).astype(np.float64)
    return values / np.linalg.norm(values)


def cosine(one: bytes, other: bytes) -> float:
    return float(unit(one) @ unit(other))


def assert_valid(vector: bytes) -> None:
    assert len(vector) == MiniLM.dimensions
    assert np.abs(np.frombuffer(vector, dtype=np.int8).astype(int)).max() == 127


def test_near_the_released_model(model: MiniLM) -> None:
    for entry, vector in zip(GOLDEN, model.embed(TEXTS), strict=True):
        assert unit(vector) @ np.array(entry["vector"]) > 0.99, entry["text"]


@share(20)
@given(texts=st.lists(st.sampled_from(TEXTS) | st.text(max_size=40), max_size=12))
def test_a_batch_is_the_texts_one_by_one_in_order(model: MiniLM, texts: list[str]) -> None:
    together = model.embed(texts)
    assert len(together) == len(texts)
    for text, vector in zip(texts, together, strict=True):
        assert_valid(vector)
        assert cosine(vector, model.embed([text])[0]) > 0.999


def test_deterministic(model: MiniLM) -> None:
    assert model.embed(TEXTS) == model.embed(TEXTS) == MiniLM.load().embed(TEXTS)


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\x00", "\ufffd"])
def test_text_without_tokens_has_a_vector(model: MiniLM, text: str) -> None:
    [vector] = model.embed([text])
    assert_valid(vector)
    assert vector == model.embed([""])[0]


def test_what_is_past_the_longest_text_counts_for_nothing(model: MiniLM) -> None:
    start = "tide " * 254
    assert model.embed([start])[0] == model.embed([start + "unlike anything before"])[0]


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("The meeting was moved to Monday.", "We will meet on Monday instead.", "Olive oil burns at high heat."),
        ("He is allergic to nuts.", "Peanuts make him ill.", "The server restarts every night."),
        ("Keep answers brief.", "Please reply with short messages.", "The train to Oslo leaves at nine."),
    ],
)
def test_paraphrases_are_nearer_than_unrelated(model: MiniLM, text: str, paraphrase: str, unrelated: str) -> None:
    vectors = model.embed([text, paraphrase, unrelated])
    assert cosine(vectors[0], vectors[1]) > cosine(vectors[0], vectors[2]) + 0.2


@given(lengths=st.lists(st.integers(2, 256), max_size=200))
def test_batches_hold_every_text_once_and_are_bounded(lengths: list[int]) -> None:
    batches = list(minilm._batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[index] for index in batch) <= minilm._LARGEST_BATCH for batch in batches)


def test_missing_model_is_a_lookup_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(minilm, "find_spec", find_nothing)
    with pytest.raises(LookupError, match="memtools_model is not installed"):
        MiniLM.load()


@pytest.mark.parametrize(
    "text",
    [
        "Meine Schwester wohnt in Freiburg und arbeitet im Krankenhaus",
        "Koirani nimi on Musti ja se asuu Tampereella",
        "Ayşe hastanede doktor olarak çalışıyor",
        "Моя сестра живёт в Казани",
        "내 여동생은 부산에 산다",
        "我妹妹在上海当护士",
        "אחותי עובדת בבית חולים",
    ],
)
def test_a_text_that_the_model_does_not_understand_has_an_empty_vector(text: str) -> None:
    english, other = LocalEmbedder().embed(["My sister works in a hospital in Freiburg", text])
    assert english is not None
    assert len(english.vector) == MiniLM.dimensions
    assert other == Embedding(MiniLM.model, b"")


def test_without_a_model_no_text_is_told_as_not_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty vector is final, and none is made up for later."""
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    assert LocalEmbedder().embed(["Моя сестра живёт в Казани"]) == [None]


def test_an_import_knows_the_dimensions_of_the_model() -> None:
    assert {MiniLM.model: MiniLM.dimensions} == checking._DIMENSIONS
