"""The indexes of the most recently used scopes, in this process's memory."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memtools.domain.scope import Scope

if TYPE_CHECKING:
    from memtools.ranking.index import Index

# A function has 1 GB: for the model (100 MB), and three times for a segment while it is rewritten.
_BYTES = 192 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CachedIndex:
    """A scope's index, with every change that the table had at ``read_at`` (``None``: never read).

    If reading was interrupted, it has only the changes up to ``through``. ``stored`` is the tag of the stored segment.
    ``backfilled_at`` is the time of the last back-fill, and ``refused`` the place after which to continue if the model
    failed then.
    """

    index: "Index"
    read_at: datetime | None = None
    backfilled_at: datetime | None = None
    stored: str | None = None
    through: datetime | None = None
    refused: int | None = None


class RecentIndexes:
    """Forgets the least recently used scopes if all together take more than ``limit`` bytes, but never the last one.

    Thread-safe: of two threads that put the same scope the later one wins, and the other one's changes are read again.
    """

    def __init__(self, limit: int = _BYTES) -> None:
        self._cached: OrderedDict[Scope, CachedIndex] = OrderedDict()
        self._limit = limit
        self._lock = threading.Lock()

    def get(self, scope: Scope) -> CachedIndex | None:
        """The scope's index, if it is among the recent ones."""
        with self._lock:
            if cached := self._cached.get(scope):
                self._cached.move_to_end(scope)
            return cached

    def put(self, scope: Scope, cached: CachedIndex) -> None:
        """Keep ``cached`` instead of what was kept before."""
        with self._lock:
            self._cached[scope] = cached
            self._cached.move_to_end(scope)
            size = sum(one.index.size for one in self._cached.values())
            while size > self._limit and len(self._cached) > 1:
                size -= self._cached.popitem(last=False)[1].index.size

    def drop(self, scope: Scope) -> None:
        """Forget the scope."""
        with self._lock:
            self._cached.pop(scope, None)
