"""Embeddings by Amazon Titan Text Embeddings V2 on Bedrock, with one call for each text, all concurrent.

Imported only by deployments that use it.
"""

import json
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import isfinite

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from memtools.adapters.aws import Client, code_of
from memtools.adapters.translation import Cause
from memtools.current_call import Metric, increment, out_of_time
from memtools.domain.trace import Embedding

# The model offers 256, 512 or 1,024. According to AWS, 512 keep 99 % of the accuracy of 1,024, with half the bytes in
# each trace and each read of an index, and 256 keep 97 %: "Amazon Titan Text Embeddings V2 now available in Amazon
# Bedrock, optimized for improving RAG", AWS News Blog, April 2024.
DIMENSIONS = 512
# The longest wait for all texts of a call together. It is enough for one attempt that hangs.
SECONDS = 4.0

_LONGEST_TEXT = 50_000  # characters; "Amazon Titan Text Embeddings models" in Bedrock's user guide, and 8,192 tokens
_SURE_TEXT = 8192  # characters; a token is rarely shorter than one
_CONNECTIONS = 32

# A call takes at most two attempts of three seconds and a pause of one. No caller waits that long, but an abandoned
# thread ends then. The second attempt is for a connection that was closed while Lambda slept, and for a busy model.
CONFIG = Config(
    connect_timeout=1,
    read_timeout=2,
    max_pool_connections=_CONNECTIONS,
    retries={"mode": "standard", "total_max_attempts": 2},
)


class TitanEmbedder:
    """The Embedder on Bedrock. ``model_id`` is Titan Text Embeddings V2, or a model that is called in the same way."""

    def __init__(self, client: Client, model_id: str) -> None:
        self._client = client
        self._model_id = model_id
        self.model = f"{model_id}/{DIMENSIONS}/int8"

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        if not texts:
            return []
        try:
            return [Embedding(self.model, vector) for vector in self.vectors(texts)]
        except Exception:  # noqa: BLE001 - whatever a model can raise
            increment(Metric.EMBEDDING_FAILED)
            return [None] * len(texts)

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text, in order: signed bytes, the largest of magnitude 127.

        If a text is longer than the model allows (8,192 tokens, 50,000 characters), the rest is ignored. Raises
        LookupError, without AWS's text, within SECONDS if the model fails for any of the texts, is too slow or returns
        no valid vector, and at once if there is no time left to start.

        Each call has its own threads, so that the stores' threads never wait for a model that hangs.
        """
        if out_of_time():
            raise LookupError("no time left to call the model")
        pool = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="bedrock")
        try:
            return list(pool.map(self._embed_one, texts, timeout=SECONDS))
        except (ClientError, BotoCoreError, TimeoutError, ValueError) as error:
            cause = code_of(error) if isinstance(error, ClientError) else type(error).__name__
            raise LookupError("the model returned no vector") from Cause(cause)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _embed_one(self, text: str) -> bytes:
        """The text's vector. Only the model knows how many tokens a text has; if it refuses, a shorter part is safe."""
        try:
            return self._ask(text[:_LONGEST_TEXT])
        except ClientError as error:
            if code_of(error) != "ValidationException" or len(text) <= _SURE_TEXT:
                raise
            return self._ask(text[:_SURE_TEXT])

    def _ask(self, text: str) -> bytes:
        request = {"inputText": text, "dimensions": DIMENSIONS, "normalize": True, "embeddingTypes": ["float"]}
        answer = self._client.invoke_model(
            modelId=self._model_id,
            body=json.dumps(request),
            contentType="application/json",
            accept="application/json",
        )
        return _to_bytes(_numbers_of(answer["body"].read()))


def _numbers_of(body: bytes) -> list[float]:
    """The vector in a response. Raises ValueError if there is none that can be compared with others."""
    match json.loads(body, parse_int=float):
        case {"embedding": [*numbers]} | {"embeddingsByType": {"float": [*numbers]}}:
            pass
        case _:
            raise ValueError("no vector")
    if len(numbers) != DIMENSIONS or not all(isinstance(one, float) and isfinite(one) for one in numbers):
        raise ValueError("wrong number of dimensions")
    if not any(numbers):
        raise ValueError("a zero vector")
    return numbers


def _to_bytes(numbers: Sequence[float]) -> bytes:
    """Scale the numbers so that the largest magnitude is 127, and round them, as minilm.py does."""
    largest = max(map(abs, numbers))
    return array("b", (round(one / largest * 127) for one in numbers)).tobytes()
