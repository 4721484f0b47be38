"""The indexes of the scopes used last, in this process's memory."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from memtools.domain.scope import Scope
from memtools.retrieval.index import Index

# A warm function serves few scopes at a time, and an index takes some kilobytes a trace.
_SCOPES = 64


@dataclass(frozen=True, slots=True)
class Segment:
    """A scope's index, with every change in it that the table held at ``read_at``."""

    index: Index
    read_at: datetime


class RecentSegments:
    """A SegmentStore that forgets the scope used longest ago. Safe to share between threads."""

    def __init__(self) -> None:
        self._segments: OrderedDict[Scope, Segment] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, scope: Scope) -> Segment | None:
        """The scope's segment as saved last, if it is among the recent ones."""
        with self._lock:
            if segment := self._segments.get(scope):
                self._segments.move_to_end(scope)
            return segment

    def save(self, scope: Scope, segment: Segment) -> None:
        """Keep ``segment``; an older one saved by a slower thread only means more changes to read again."""
        with self._lock:
            self._segments[scope] = segment
            self._segments.move_to_end(scope)
            while len(self._segments) > _SCOPES:
                self._segments.popitem(last=False)
