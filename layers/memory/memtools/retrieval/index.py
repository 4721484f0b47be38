"""One scope's index: which live trace has which terms and which vector. Derived data, never the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from memtools.domain.text import fold
from memtools.domain.trace import Embedding, Trace
from memtools.retrieval.tokens import document_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index knows of one live trace, at one version."""

    id: str
    version: int
    terms: Mapping[str, int]
    length: int
    tags: frozenset[str]
    when: datetime
    expires_at: datetime | None
    embedding: Embedding | None

    def alive(self, now: datetime) -> bool:
        """Not expired at ``now``."""
        return self.expires_at is None or self.expires_at > now

    @classmethod
    def of(cls, trace: Trace) -> Entry:
        """Terms come from content, tags and, in words, the date when it happened."""
        found = document_terms(trace.content, trace.tags, trace.occurred_at)
        return cls(
            id=trace.id,
            version=trace.version,
            terms=Counter(found),
            length=len(found),
            tags=frozenset(fold(tag) for tag in trace.tags),
            when=trace.when,
            expires_at=trace.expires_at,
            embedding=trace.embedding,
        )


class Index:
    """Immutable: folding changes in makes another index, so that searches in other threads are not disturbed."""

    def __init__(self, entries: Mapping[str, Entry] | None = None) -> None:
        self._entries = dict(entries or {})

    def fold(self, changes: Iterable[Trace]) -> Index:
        """The index with ``changes`` (oldest first) taken in; itself where they are in it already."""
        entries: dict[str, Entry] | None = None
        for trace in changes:
            known = (self._entries if entries is None else entries).get(trace.id)
            if trace.live == (known is not None) and (known is None or known.version == trace.version):
                continue
            entries = dict(self._entries) if entries is None else entries
            if trace.live:
                entries[trace.id] = Entry.of(trace)
            else:
                del entries[trace.id]
        return self if entries is None else Index(entries)

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries in the order of time, then of id; an entry's place is its row in all arrays."""
        return sorted(self._entries.values(), key=lambda entry: (entry.when, entry.id))

    @cached_property
    def postings(self) -> Mapping[str, list[tuple[int, int]]]:
        """For each term the rows that have it, each with how often."""
        postings: dict[str, list[tuple[int, int]]] = {}
        for row, entry in enumerate(self.entries):
            for term, count in entry.terms.items():
                postings.setdefault(term, []).append((row, count))
        return postings

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        """Terms a row."""
        import numpy as np

        return np.array([entry.length for entry in self.entries], np.float32)

    def vectors(self, model: str) -> NDArray[np.float32]:
        """Unit vectors, one a row; zeros where a trace has none of this model."""
        import numpy as np

        if self._vectors is None or self._vectors[0] != model:
            of_model = [entry.embedding for entry in self.entries]
            size = max((len(one.vector) for one in of_model if one and one.model == model), default=0)
            blank = bytes(size)
            fits = [one is not None and one.model == model and len(one.vector) == size for one in of_model]
            joined = b"".join(one.vector if one and fit else blank for one, fit in zip(of_model, fits, strict=True))
            matrix = np.frombuffer(joined, np.int8).reshape(len(of_model), size).astype(np.float32)
            norms = np.linalg.norm(matrix, axis=1, keepdims=True)
            self._vectors = (model, matrix / np.maximum(norms, 1.0))
        return self._vectors[1]

    _vectors: tuple[str, NDArray[np.float32]] | None = None
