"""The indexes of the scopes used last, in this process's memory."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memtools.domain.scope import Scope

if TYPE_CHECKING:
    from memtools.ranking.index import Index

# A function of 1 GB holds the model (100 MB), and while it rewrites a segment that segment three times.
_BYTES = 192 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CachedIndex:
    """A scope's index, with what the table held at ``read_at`` or later (``None``: never read).

    Of that, every change up to ``through``: the same moment, but where the reading was interrupted.
    ``stored`` tags the segment that stands there. ``tried_at`` is when vectors were last sought for traces without, and
    ``refused`` the place after which to go on, if the model failed then.
    """

    index: "Index"
    read_at: datetime | None = None
    tried_at: datetime | None = None
    stored: str | None = None
    through: datetime | None = None
    refused: int | None = None


class RecentIndexes:
    """Forgets the scope used longest ago when all together take more than ``limit`` bytes; the last one used stays.

    Safe to share between threads: of two that put the same scope the later wins; what the other knew is read again.
    """

    def __init__(self, limit: int = _BYTES) -> None:
        self._known: OrderedDict[Scope, CachedIndex] = OrderedDict()
        self._limit = limit
        self._lock = threading.Lock()

    def get(self, scope: Scope) -> CachedIndex | None:
        """What is known of the scope, if it is among the recent ones."""
        with self._lock:
            if known := self._known.get(scope):
                self._known.move_to_end(scope)
            return known

    def put(self, scope: Scope, known: CachedIndex) -> None:
        """Keep ``known`` in the place of what was known before."""
        with self._lock:
            self._known[scope] = known
            self._known.move_to_end(scope)
            size = sum(one.index.size for one in self._known.values())
            while size > self._limit and len(self._known) > 1:
                size -= self._known.popitem(last=False)[1].index.size

    def drop(self, scope: Scope) -> None:
        """Forget the scope."""
        with self._lock:
            self._known.pop(scope, None)
