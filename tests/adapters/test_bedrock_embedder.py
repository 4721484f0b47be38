"""Embeddings by Titan on Bedrock: what is asked, what becomes of the answer, and that a failure is told in time."""

import json
import os
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import hypot
from typing import Any
from unittest.mock import Mock

import boto3
import pytest
from botocore.config import Config
from memtools import current_call
from memtools.adapters import titan as adapter
from memtools.adapters.aws import in_parallel
from memtools.adapters.titan import DIMENSIONS, TitanEmbedder
from memtools.backend import Backend
from memtools.config import Settings
from memtools.domain.scope import Scope
from memtools.wiring import backend_of

from local.template import ROOT, Template
from tests.calls import Caller
from tests.titan import SECRET, Answer, Titan, reply, titan, vector_of

MODEL = "amazon.titan-embed-text-v2:0"
TEXTS = [f"fact {number}" for number in range(100)]


@pytest.fixture
def model() -> Iterator[Titan]:
    with titan() as running:
        yield running


@pytest.fixture
def embedder(model: Titan) -> TitanEmbedder:
    return TitanEmbedder(model.client(), MODEL)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> float:
    """Waits are as long as the tests can bear."""
    monkeypatch.setattr(adapter, "SECONDS", 0.3)
    return 0.3


def signed(vector: bytes) -> list[int]:
    return array("b", vector).tolist()


def cosine(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True)) / hypot(*one) / hypot(*two)


def said(**members: Any) -> bytes:
    return json.dumps(members).encode()


def chain(error: BaseException | None) -> Iterator[str]:
    """What a log could show of an error: its text, and that of what it names as its cause."""
    while error:
        yield f"{type(error).__name__}: {error}"
        error = error.__cause__


# What is asked


def test_a_text_is_asked_for_as_the_model_documents_it(embedder: TitanEmbedder, model: Titan) -> None:
    embedder.vectors(["likes tea ☕"])
    body = {"inputText": "likes tea ☕", "dimensions": 512, "normalize": True, "embeddingTypes": ["float"]}
    assert model.asked == [(MODEL, body)]


def test_no_text_is_no_call(embedder: TitanEmbedder, model: Titan) -> None:
    assert embedder.vectors([]) == []
    assert model.asked == []


def test_texts_are_asked_for_at_the_same_time(embedder: TitanEmbedder, model: Titan) -> None:
    """No answer comes before all have been asked for."""
    all_there = threading.Barrier(32)

    def together(text: str) -> bytes:
        all_there.wait(3)
        return reply(text)

    model.answer = together
    assert len(embedder.vectors(TEXTS[:32])) == 32


def test_a_text_is_cut_at_the_models_limit(embedder: TitanEmbedder, model: Titan) -> None:
    embedder.vectors(["é" * 50_001])
    assert model.texts == ["é" * 50_000]


def test_a_text_of_too_many_tokens_is_cut_to_what_surely_fits(embedder: TitanEmbedder, model: Titan) -> None:
    model.answer = lambda text: (400, "ValidationException") if len(text) > 8192 else reply(text)
    (vector,) = embedder.vectors(["x" * 20_000])
    assert [len(text) for text in model.texts] == [20_000, 8192]
    assert cosine(signed(vector), vector_of("x" * 8192)) > 0.999


@pytest.mark.parametrize(
    ("length", "error"), [(8192, (400, "ValidationException")), (20_000, (403, "AccessDeniedException"))]
)
def test_errors_not_caused_by_length_are_not_retried(
    embedder: TitanEmbedder, model: Titan, length: int, error: Answer
) -> None:
    model.answer = lambda _: error
    with pytest.raises(LookupError):
        embedder.vectors(["x" * length])
    assert len(model.asked) == 1


# What becomes of the answer


def test_each_text_gets_its_direction_in_signed_bytes_in_order(embedder: TitanEmbedder) -> None:
    vectors = [signed(vector) for vector in embedder.vectors(TEXTS)]
    assert len(vectors) == len(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert len(vector) == DIMENSIONS
        assert max(map(abs, vector)) == 127
        assert cosine(vector, vector_of(text)) > 0.999


@pytest.mark.parametrize("scale", [1e-320, 1e-12, 1, 1e308])
def test_only_the_direction_counts(embedder: TitanEmbedder, model: Titan, scale: float) -> None:
    numbers = [scale, -scale, *[0] * (DIMENSIONS - 2)]
    model.answer = lambda _: said(embedding=numbers)
    assert signed(embedder.vectors(["x"])[0]) == [127, -127, *[0] * (DIMENSIONS - 2)]


@pytest.mark.parametrize("first", [{}, {"embedding": None}])
def test_a_vector_may_be_only_under_its_type(embedder: TitanEmbedder, model: Titan, first: dict[str, None]) -> None:
    model.answer = lambda text: said(**first, embeddingsByType={"float": vector_of(text)})
    assert cosine(signed(embedder.vectors(["x"])[0]), vector_of("x")) > 0.999


def test_vectors_that_cannot_be_compared_have_models_of_different_names(model: Titan) -> None:
    for name in (MODEL, "amazon.another:0"):
        assert TitanEmbedder(model.client(), name).model == f"{name}/512/int8"


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"<html>", b"\xff\xfe", b"[]", b"null", b"{}", said(embedding=[]), said(embedding="0.1")),
        said(embedding={"float": [0.1] * DIMENSIONS}),
        *(said(embedding=[0.1] * length) for length in (256, DIMENSIONS + 1)),
        *(said(embedding=[one] * DIMENSIONS) for one in ("0.1", True, None, float("nan"), 0.0, 0)),
        *(said(embedding=[one, *[0.1] * (DIMENSIONS - 1)]) for one in (float("inf"), 10**400)),
        said(embeddingsByType=[0.1] * DIMENSIONS),
        said(embeddingsByType={"binary": [1] * DIMENSIONS}),
    ],
)
def test_invalid_vectors_are_failures(embedder: TitanEmbedder, model: Titan, body: bytes) -> None:
    model.answer = lambda _: body
    with pytest.raises(LookupError):
        embedder.vectors(["x"])


# Failures


@pytest.mark.parametrize(
    ("error", "times"),
    [
        ((429, "ThrottlingException"), 2),
        ((503, "ServiceUnavailableException"), 2),
        ((403, "AccessDeniedException"), 1),
        ((404, "ResourceNotFoundException"), 1),
    ],
)
def test_a_failure_is_named_and_shows_nothing_of_aws(
    embedder: TitanEmbedder, model: Titan, error: tuple[int, str], times: int
) -> None:
    model.answer = lambda _: error
    with pytest.raises(LookupError) as caught:
        embedder.vectors(["x"])
    assert len(model.asked) == times
    assert list(chain(caught.value)) == ["LookupError: the model returned no vector", f"Cause: {error[1]}"]
    assert SECRET not in str(list(chain(caught.value)))


def test_a_model_that_is_busy_is_asked_again(embedder: TitanEmbedder, model: Titan) -> None:
    answers: list[Answer] = [(429, "ThrottlingException"), reply("x")]
    model.answer = lambda _: answers.pop(0)
    assert len(embedder.vectors(["x"])) == 1


def test_one_text_that_fails_fails_all(embedder: TitanEmbedder, model: Titan) -> None:
    model.answer = lambda text: (403, "AccessDeniedException") if text == TEXTS[70] else reply(text)
    with pytest.raises(LookupError):
        embedder.vectors(TEXTS)


@pytest.mark.parametrize("count", [1, 100])
def test_a_hanging_model_is_waited_for_only_once(
    embedder: TitanEmbedder, model: Titan, impatient: float, count: int
) -> None:
    model.answer = model.hang
    start = time.monotonic()
    with pytest.raises(LookupError) as caught:
        embedder.vectors(TEXTS[:count])
    assert time.monotonic() - start < impatient + 1.5
    assert list(chain(caught.value))[1:] == ["Cause: TimeoutError"]
    # What had not begun never does; what hangs is in nobody's way.
    assert len(model.asked) <= 32
    assert list(in_parallel(len, TEXTS)) == [len(text) for text in TEXTS]
    model.answer = reply
    assert len(embedder.vectors(["x"])) == 1


def test_a_read_that_hangs_ends_by_itself(model: Titan) -> None:
    """Nobody waits for it, but it would hold its thread."""
    model.answer = model.hang
    config: Any = adapter.CONFIG
    quick = config.merge(Config(read_timeout=0.1))
    with pytest.raises(LookupError) as caught:
        TitanEmbedder(model.client(quick), MODEL).vectors(["x"])
    assert list(chain(caught.value))[1:] == ["Cause: ReadTimeoutError"]
    assert len(model.asked) == 2


def test_nothing_is_begun_when_time_is_up(
    embedder: TitanEmbedder, model: Titan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current_call, "SECONDS", -1.0)
    with current_call.running_call(), pytest.raises(LookupError, match="no time left"):
        embedder.vectors(["x"])
    assert model.asked == []


# Through the tools


def denied(_: str) -> Answer:
    return 403, "AccessDeniedException"


def nonsense(_: str) -> Answer:
    return said(embedding=[0.0] * DIMENSIONS)


@pytest.mark.parametrize("trouble", [denied, nonsense, None])
@pytest.mark.usefixtures("impatient")
def test_without_the_model_tools_use_words_only_and_say_so(
    embedder: TitanEmbedder, model: Titan, fake_memory: Backend, scope: Scope, trouble: Callable[[str], Answer] | None
) -> None:
    memory = replace(fake_memory, embedder=embedder)
    ana = Caller(memory, scope)
    model.answer = trouble or model.hang
    names = [item["id"] for item in ana.add(facts=["likes tea", "likes coffee"])["saved"]]
    ana.update(traceId=names[1], content="likes cocoa")
    assert [trace.embedding for trace in memory.traces.get(scope, names).values()] == [None, None]
    found = ana.search(query="tea")
    assert [hit["content"] for hit in found["results"]] == ["likes tea"]
    assert "words only" in found["note"]
    assert SECRET not in json.dumps(found)


def test_a_fact_is_found_by_the_models_meaning(
    embedder: TitanEmbedder, model: Titan, fake_memory: Backend, scope: Scope
) -> None:
    model.answer = lambda text: reply("a hot drink" if text in {"tea", "cocoa"} else text)
    memory = replace(fake_memory, embedder=embedder)
    ana = Caller(memory, scope)
    (name, _) = (item["id"] for item in ana.add(facts=["tea", "walnuts"])["saved"])
    embedding = memory.traces.get(scope, [name])[name].embedding
    assert embedding is not None
    assert (embedding.model, len(embedding.vector)) == (embedder.model, DIMENSIONS)
    found = ana.search(query="cocoa")
    assert [hit["content"] for hit in found["results"]] == ["tea"]
    assert "note" not in found


# What a deployment asks for


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The clients that a wiring makes, by service."""
    made: dict[str, Any] = {}
    monkeypatch.setattr(
        boto3.session.Session, "client", lambda _, name, config: Mock(config=made.setdefault(name, config))
    )
    backend_of.cache_clear()
    yield made
    backend_of.cache_clear()


@pytest.mark.parametrize("choice", ["minilm", "bedrock", "none"])
def test_only_who_asks_for_bedrock_gets_its_client(clients: dict[str, Any], choice: str) -> None:
    settings = Settings.from_environment(Template({"Embedder": choice}).environment)
    embedder = backend_of(settings).embedder
    assert isinstance(embedder, TitanEmbedder) == (choice == "bedrock")
    assert clients.get("bedrock-runtime") == (adapter.CONFIG if choice == "bedrock" else None)
    assert {"dynamodb", "s3"} <= set(clients)
    if choice == "bedrock":
        assert embedder
        assert embedder.model == f"{MODEL}/512/int8"


def test_others_do_not_load_its_adapter() -> None:
    script = "import memtools.wiring, sys; print('memtools.adapters.titan' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
