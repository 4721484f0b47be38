"""The settings of a deployment, and the only reader of the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass


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
        return cls(
            table=_required(environment, "TABLE_NAME"),
            index=_required(environment, "INDEX_NAME"),
            bucket=_required(environment, "BUCKET_NAME"),
            agent_id=environment.get("AGENT_ID", ""),
            retention_days=_whole(environment, "RETENTION_DAYS"),
            document_limit=_whole(environment, "DOCUMENT_LIMIT"),
            relevance_floor=_share(environment, "RELEVANCE_FLOOR"),
            embedder=_one_of(environment, "EMBEDDER", ("minilm", "bedrock", "none")),
            embedding_model=_required(environment, "EMBEDDING_MODEL"),
        )


def _required(environment: Mapping[str, str], name: str) -> str:
    if not environment.get(name):
        raise ValueError(f"the environment variable {name} is not set")
    return environment[name]


def _whole(environment: Mapping[str, str], name: str) -> int:
    text = _required(environment, name)
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"the environment variable {name} must be a whole number of at least 1")
    return int(text)


def _share(environment: Mapping[str, str], name: str) -> float:
    try:
        share = float(_required(environment, name))
    except ValueError:
        share = -1
    if not 0 <= share <= 1:
        raise ValueError(f"the environment variable {name} must be a number from 0 to 1")
    return share


def _one_of(environment: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    value = _required(environment, name)
    if value not in choices:
        raise ValueError(f"the environment variable {name} must be one of {', '.join(choices)}")
    return value
