"""The settings of a deployment, and the only reader of the environment."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_EMBEDDERS = ("minilm", "bedrock", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What ``template.yaml`` sets for each function.

    ``agent_id`` is the agent of callers that name none; ``retention_days``, ``document_limit`` (characters) and
    ``relevance_floor`` (0 to 1) are limits of the tools; ``embedder`` is ``minilm``, ``bedrock`` or ``none``, and
    ``embedding_model`` is the id of Bedrock's model.
    """

    table: str
    index: str
    bucket: str
    agent_id: str
    retention_days: int
    document_limit: int
    relevance_floor: float
    embedder: str
    embedding_model: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings. Raises ValueError, which names a variable that is missing or invalid."""

        def read(name: str, fits: Callable[[str], bool] = bool, allowed: str = "set") -> str:
            value = environment.get(name, "")
            if not fits(value):
                raise ValueError(f"the environment variable {name} must be {allowed}")
            return value

        return cls(
            table=read("TABLE_NAME"),
            index=read("INDEX_NAME"),
            bucket=read("BUCKET_NAME"),
            agent_id=environment.get("AGENT_ID", ""),
            retention_days=int(read("RETENTION_DAYS", _is_whole, "a whole number of at least 1")),
            document_limit=int(read("DOCUMENT_LIMIT", _is_whole, "a whole number of at least 1")),
            relevance_floor=float(read("RELEVANCE_FLOOR", _is_share, "a number from 0 to 1")),
            embedder=read("EMBEDDER", _EMBEDDERS.__contains__, f"one of {', '.join(_EMBEDDERS)}"),
            embedding_model=read("EMBEDDING_MODEL"),
        )


def _is_whole(text: str) -> bool:
    return text.isdecimal() and int(text) >= 1


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False
