"""What the tools run on: the stores, the model, and the limits that a deployment sets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

from memtools.current_call import write_name
from memtools.domain.trace import Stamp
from memtools.domain.writes import NAME_LENGTH
from memtools.freshness.indexes import Indexes
from memtools.ports import Embedder, PersonaStore, SegmentStore, TraceStore

_now = partial(datetime.now, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """One deployment's memory, in one process.

    ``now`` returns the current time, timezone-aware, in UTC. ``retention`` is how long replaced and deleted versions
    can be restored, ``document_limit`` the maximum number of characters in a document, and ``floor`` the score below
    which a trace is not relevant.
    """

    traces: TraceStore
    personas: PersonaStore
    segments: SegmentStore
    embedder: Embedder
    now: Callable[[], datetime] = _now
    retention: timedelta = timedelta(days=30)
    document_limit: int = 16_000
    floor: float = 0.25
    indexes: Indexes = field(init=False)

    def __post_init__(self) -> None:
        parts = {name: getattr(self, name) for name in ("traces", "segments", "embedder", "now", "retention")}
        object.__setattr__(self, "indexes", Indexes(**parts))

    def stamp(self) -> Stamp:
        """The current time, and a name for the call's writes: that of its idempotency key, or a new one."""
        keyed = write_name()
        return Stamp(self.now(), keyed or uuid4().hex[:NAME_LENGTH], keyed=keyed is not None)
