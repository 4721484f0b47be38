"""The indexes of the scopes used last, in this process's memory."""

import threading
from collections import OrderedDict

from memtools.domain.scope import Scope
from memtools.retrieval.index import Index

# A warm function serves few scopes at a time, and an index takes some kilobytes a trace.
_SCOPES = 64


class RecentSegments:
    """A SegmentStore that forgets the scope used longest ago. Safe to share between threads."""

    def __init__(self) -> None:
        self._indexes: OrderedDict[Scope, Index] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, scope: Scope) -> Index | None:
        """The scope's index as saved last, if it is among the recent ones."""
        with self._lock:
            if index := self._indexes.get(scope):
                self._indexes.move_to_end(scope)
            return index

    def save(self, scope: Scope, index: Index) -> None:
        """Keep ``index``; an older one saved by a slower thread only means more changes to read again."""
        with self._lock:
            self._indexes[scope] = index
            self._indexes.move_to_end(scope)
            while len(self._indexes) > _SCOPES:
                self._indexes.popitem(last=False)
