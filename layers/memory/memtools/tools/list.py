"""memory_list: all live traces, newest first, page by page."""

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.domain.trace import Trace
from memtools.errors import InvalidArguments
from memtools.tools.backend import Backend

if TYPE_CHECKING:
    from memtools.ranking.index import Index

# Where a trace stands in its scope's order: when it happened, when it was made, its id.
Moment = tuple[int, int, str]


def memory_list(backend: Backend, scope: Scope, given: arguments.List) -> replies.Listed:
    """A page of the scope's live traces as the table holds them, newest first."""
    from memtools.freshness.fresh_index import fresh_index  # brings numpy, which no other function needs

    tags = frozenset(fold(tag) for tag in given.tags)
    seal = digest(scope.key, *sorted(tags))[:16]
    after = _open(given.cursor, seal) if given.cursor else None
    now = backend.clock.now()
    with fresh_index(backend, scope) as index:
        places = list(index.newest(tags, now, after))
        page: list[Trace] = []
        read = 0
        while (wanted := given.limit - len(page)) and (ids := _ids(index, places[read : read + wanted])):
            page += _settled(backend, scope, ids, now)
            read += len(ids)
    return replies.Listed(
        results=[replies.Memory.of(trace) for trace in page],
        next_cursor=_close(index.moment(places[read - 1]), seal) if read < len(places) else None,
    )


def _ids(index: "Index", places: Iterable[int]) -> list[str]:
    return [index.identity(place)[0] for place in places]


def _settled(backend: Backend, scope: Scope, ids: Sequence[str], now: datetime) -> list[Trace]:
    """Those of the traces that the table still has, alive."""
    from memtools.freshness.fresh_index import forget

    found = backend.traces.get(scope, ids)
    live = [found[one] for one in ids if one in found and found[one].alive(now)]
    if len(live) < len(ids):
        forget(backend, scope, list(set(ids) - {trace.id for trace in live}))
    return live


def _close(moment: Moment, seal: str) -> str:
    """A cursor. It names a place, not a scope: sealed, so that it is refused where it does not come from."""
    data = json.dumps([*moment, digest(seal, *map(str, moment))[:16]])
    return base64.urlsafe_b64encode(data.encode()).decode()


def _open(cursor: str, seal: str) -> Moment:
    try:
        when, created, name, mark = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        genuine = mark == digest(seal, str(int(when)), str(int(created)), name)[:16]
    except (binascii.Error, ValueError, TypeError, AttributeError):
        genuine = False
    if not genuine:
        raise InvalidArguments(
            "`cursor` is none that this list gave with these tags. Start again without it.", argument="cursor"
        )
    return when, created, name
