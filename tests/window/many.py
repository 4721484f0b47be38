"""The local service over a memory of ten thousand traces, put into fake stores in one go."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final
from unittest.mock import patch

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Trace, key_of

from local import service
from tests.fakes import FakeClock
from tests.memories import over_fakes

NUMBER: Final = 10_000
_SCOPE: Final = Scope("helper", "many")


def _filled() -> Backend:
    memory = over_fakes(FakeClock())
    store: Any = memory.traces
    store._traces.update({(_SCOPE, trace.id): trace for trace in _traces(memory)})
    return memory


def _traces(memory: Backend) -> Iterator[Trace]:
    now = memory.now()
    contents = [f"Note {number}: what was said on day {number}" for number in range(NUMBER)]
    for number, (content, embedding) in enumerate(zip(contents, memory.embedder.embed(contents), strict=True)):
        at = now - timedelta(hours=NUMBER - number)
        yield Trace(id=key_of(_SCOPE, content), content=content, created_at=at, changed_at=at, embedding=embedding)


@contextmanager
def running() -> Iterator[service.Service]:
    """The service, its handlers made over the memory."""
    with patch("memtools.handler.backend_of", return_value=_filled()), service.running() as made:
        yield made
