"""The settings of a deployment, and the only reader of the environment."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_EMBEDDERS = ("minilm", "bedrock", "none")
_SQLITE = "sqlite:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What ``template.yaml`` sets for each function.

    ``store`` is the address of a memory on this machine, ``sqlite:`` and the path of its file; where it is empty, the
    memory is in ``table``, with its ``index``, and in ``bucket``. ``agent_id`` is the agent of callers that name none;
    ``retention_days``, ``document_limit`` (characters) and ``relevance_floor`` (0 to 1) are limits of the tools;
    ``embedder`` is ``minilm``, ``bedrock`` or ``none``, and ``embedding_model`` is the id of Bedrock's model.
    """

    store: str = ""
    table: str = ""
    index: str = ""
    bucket: str = ""
    agent_id: str = ""
    # The defaults are those of the template's parameters, for a memory on this machine.
    retention_days: int = 30
    document_limit: int = 16_000
    relevance_floor: float = 0.25
    embedder: str = "minilm"
    embedding_model: str = "amazon.titan-embed-text-v2:0"

    @classmethod
    def local(cls, file: Path) -> "Settings":
        """The settings of a memory in a file on this machine."""
        return cls(store=f"{_SQLITE}{file}")

    @property
    def file(self) -> Path | None:
        """The file of a memory on this machine; None for one in a table and a bucket."""
        return Path(self.store.removeprefix(_SQLITE)) if self.store else None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings. Raises ValueError, which names a variable that is missing or invalid."""

        def read(name: str, fits: Callable[[str], bool] = bool, allowed: str = "set") -> str:
            value = environment.get(name, "")
            if not fits(value):
                raise ValueError(f"the environment variable {name} must be {allowed}")
            return value

        if store := environment.get("STORE_ADDRESS", ""):
            read("STORE_ADDRESS", _is_address, f"{_SQLITE} and the path of a file, or not set")
        names = [("table", "TABLE_NAME"), ("index", "INDEX_NAME"), ("bucket", "BUCKET_NAME")]
        return cls(
            store=store,
            **({} if store else {field: read(name) for field, name in names}),
            agent_id=environment.get("AGENT_ID", ""),
            retention_days=int(read("RETENTION_DAYS", _is_whole, "a whole number of at least 1")),
            document_limit=int(read("DOCUMENT_LIMIT", _is_whole, "a whole number of at least 1")),
            relevance_floor=float(read("RELEVANCE_FLOOR", _is_share, "a number from 0 to 1")),
            embedder=read("EMBEDDER", _EMBEDDERS.__contains__, f"one of {', '.join(_EMBEDDERS)}"),
            embedding_model=read("EMBEDDING_MODEL"),
        )


def _is_address(text: str) -> bool:
    return text.startswith(_SQLITE) and text != _SQLITE


def _is_whole(text: str) -> bool:
    return text.isdecimal() and int(text) >= 1


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False
