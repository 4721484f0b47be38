"""The settings of a deployment, and the only reader of the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What ``template.yaml`` sets for each function.

    ``agent_id`` is the agent of callers who name none; ``retention_days``, ``document_limit`` (characters) and
    ``relevance_floor`` (0 to 1) are the limits of the tools; ``embedder`` is ``minilm`` or ``none``.
    """

    table: str
    index: str
    bucket: str
    agent_id: str
    retention_days: int
    document_limit: int
    relevance_floor: float
    embedder: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings. Raises ValueError, naming the variable, where one is missing or makes no sense."""
        settings = cls(
            table=_required(environment, "TABLE_NAME"),
            index=_required(environment, "INDEX_NAME"),
            bucket=_required(environment, "BUCKET_NAME"),
            agent_id=environment.get("AGENT_ID", ""),
            retention_days=int(_required(environment, "RETENTION_DAYS")),
            document_limit=int(_required(environment, "DOCUMENT_LIMIT")),
            relevance_floor=float(_required(environment, "RELEVANCE_FLOOR")),
            embedder=_required(environment, "EMBEDDER"),
        )
        if settings.embedder not in ("minilm", "none"):
            raise ValueError("EMBEDDER has to be `minilm` or `none`")
        return settings


def _required(environment: Mapping[str, str], name: str) -> str:
    if not environment.get(name):
        raise ValueError(f"the environment variable {name} is not set")
    return environment[name]
