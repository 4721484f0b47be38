"""memory_list: all live traces, newest first, page by page."""

import base64
import binascii
import json
from datetime import datetime

from memtools.catalogue import arguments, replies
from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.errors import InvalidArguments
from memtools.retrieval.index import Entry
from memtools.tools.memory import Memory
from memtools.tools.search import fresh_index

# A place in a scope's order: when it happened, and the id among those of the same moment.
Place = tuple[str, str]


def memory_list(memory: Memory, scope: Scope, given: arguments.List) -> replies.Listed:
    """A page of the scope's live traces as the table holds them, newest first."""
    tags = frozenset(fold(tag) for tag in given.tags)
    seal = digest(scope.key, *sorted(tags))[:16]
    after = _open(given.cursor, seal) if given.cursor else None
    now = memory.clock.now()
    entries = [
        entry
        for entry in reversed(fresh_index(memory, scope).entries)
        if tags <= entry.tags and entry.alive(now) and (after is None or _place(entry) < after)
    ]
    page = entries[: given.limit]
    found = memory.traces.get(scope, [entry.id for entry in page]) if page else {}
    return replies.Listed(
        results=[replies.Memory.of(found[one.id]) for one in page if one.id in found and found[one.id].alive(now)],
        next_cursor=_close(page[-1], seal) if len(entries) > len(page) else None,
    )


def _place(entry: Entry) -> Place:
    return entry.when.isoformat(timespec="microseconds"), entry.id


def _close(entry: Entry, seal: str) -> str:
    """A cursor. It names a place, not a scope: sealed, so that it is refused where it does not come from."""
    data = json.dumps([*_place(entry), digest(seal, *_place(entry))[:16]])
    return base64.urlsafe_b64encode(data.encode()).decode()


def _open(cursor: str, seal: str) -> Place:
    try:
        when, name, mark = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        datetime.fromisoformat(when)
        genuine = mark == digest(seal, when, name)[:16]
    except (binascii.Error, ValueError, TypeError, AttributeError):
        genuine = False
    if not genuine:
        raise InvalidArguments(
            "`cursor` is none that this list gave with these tags. Start again without it.", argument="cursor"
        )
    return when, name
