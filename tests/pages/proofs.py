"""How a block of code is proved."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Proof:
    """``begins`` is how the block begins, so that each proof stays with its block."""

    begins: str


@dataclass(frozen=True)
class Run(Proof):
    """Run in the page's shell, with what a reader fills in in its place; it says these texts, and not those.

    ``first`` and ``then`` are commands for what the page tells in words, before and after it. ``finds``: what an agent
    that the block runs has found in its memory.
    """

    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    filled_in: Mapping[str, str] = field(default_factory=dict)
    finds: tuple[str, ...] = ()
    first: str = ""
    then: str = ""


@dataclass(frozen=True)
class Serve(Proof):
    """A service: started, asked, and ended."""


@dataclass(frozen=True)
class Prepared(Proof):
    """Run before all pages, which need what it makes."""


@dataclass(frozen=True)
class Draw(Proof):
    """A picture, drawn by Mermaid."""


@dataclass(frozen=True)
class Save(Proof):
    """A file that the page tells to save; it is run by a later block."""

    name: str


@dataclass(frozen=True)
class By(Proof):
    """Checked by a test that is named."""

    test: str
