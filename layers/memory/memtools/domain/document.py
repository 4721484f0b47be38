"""Persona documents: their names, their owners, and how they are composed into a soul."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memtools.domain.text import digest
from memtools.errors import Conflict

# The documents of a soul, in its order.
SOUL = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md")
ABSENT = "none"


class Target(StrEnum):
    """The names of documents in arguments. SOUL is all of them together, read-only."""

    SOUL = "soul"
    SELF = "self"
    USER = "user"


# The documents of a scope. All others belong to the agent, and no tool changes them.
FILES = {Target.SELF: "MEMORY.md", Target.USER: "USER.md"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One version of a document.

    ``version`` and ``tag`` are opaque tokens of the store: the version that callers see, and the condition of a write.
    ``edit`` is the fingerprint of the edit that made it, which begins with the action; ``replaces`` is the previous
    version; ``writes`` names the last writes, newest first.
    """

    name: str
    text: str
    version: str = ABSENT
    tag: str = ""
    edit: str = ""
    replaces: str | None = None
    writes: tuple[str, ...] = ()
    written_at: datetime | None = None


def compose(documents: Mapping[str, Document]) -> tuple[str, str, list[str]]:
    """The soul: its text, a version that changes with any part, and the names of the documents found."""
    found = [documents[name] for name in SOUL if name in documents]
    text = "\n\n".join(f"## {document.name}\n\n{document.text.strip()}" for document in found)
    version = digest(*(part for document in found for part in (document.name, document.version))) if found else ABSENT
    return text, version, [document.name for document in found]


def text_of(name: str, data: bytes) -> str:
    """The text of a document's bytes. Strict, because an edit must write back exactly what it read.

    Raises Conflict for bytes that are no text.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Conflict(f"{name} is not UTF-8 text. Nothing was changed. Its owner must store it as UTF-8.") from None
