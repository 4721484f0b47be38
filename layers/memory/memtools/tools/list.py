"""memory_list: all live traces, newest first, page by page."""

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.domain.trace import Trace
from memtools.errors import InvalidArguments
from memtools.tools.tool import Arguments, Limit, Memory, Reply, Tags, Text, Tool

if TYPE_CHECKING:
    from datetime import datetime

    from memtools.ranking.index import Index

# Where a trace comes in its scope's order: when it happened, when it was made, its id.
Position = tuple[int, int, str]


class List(Arguments):
    """Arguments of memory_list."""

    limit: Limit = Field(20, description="How many memories a page has at most, 1 to 100.")
    tags: Tags = Field([], description="Only memories that carry all of these tags.")
    cursor: Text | None = Field(
        None, max_length=1000, description="`nextCursor` of the page before, with the same tags. Without it the newest."
    )


class Listed(Reply):
    """Reply of memory_list."""

    shortens = ("results",)
    left_out_note = (
        "The last {count} memories of this page were left out, since the reply would be too large. To see them all, ask"
        " for this page again with limit {kept}, and go on from its nextCursor."
    )
    too_large = "To pass it by, ask with limit 1, then go on from `details.nextCursor`."

    results: list[Memory] = Field(description="The newest first.")
    next_cursor: str | None = Field(None, description="Where the next page begins; absent on the last one.")

    def without_last(self, count: int) -> Self:
        """Without the cursor too: it would lead past what was left out."""
        return super().without_last(count).model_copy(update={"next_cursor": None})


def run(backend: Backend, scope: Scope, given: List) -> Listed:
    """A page of the scope's live traces as the table has them, newest first."""
    tags = frozenset(fold(tag) for tag in given.tags)
    checksum = digest(scope.key, *sorted(tags))[:16]
    after = _decode_cursor(given.cursor, checksum) if given.cursor else None
    now = backend.now()
    with backend.indexes.fresh(scope) as index:
        places = list(index.newest(tags, now, after))
        page: list[Trace] = []
        read = 0
        while (wanted := given.limit - len(page)) and (ids := _ids(index, places[read : read + wanted])):
            page += _confirmed(backend, scope, ids, now)
            read += len(ids)
    return Listed(
        results=[Memory.of(trace) for trace in page],
        next_cursor=_encode_cursor(index.position(places[read - 1]), checksum) if read < len(places) else None,
    )


def _ids(index: "Index", places: Iterable[int]) -> list[str]:
    return [index.identity(place)[0] for place in places]


def _confirmed(backend: Backend, scope: Scope, ids: Sequence[str], now: "datetime") -> list[Trace]:
    """Those of the traces that the table still has, alive."""
    found = backend.traces.get(scope, ids)
    live = [found[one] for one in ids if one in found and found[one].alive(now)]
    if len(live) < len(ids):
        backend.indexes.forget(scope, list(set(ids) - {trace.id for trace in live}))
    return live


def _encode_cursor(position: Position, checksum: str) -> str:
    """A cursor. It names a position, not a scope: the checksum refuses it in any other list."""
    data = json.dumps([*position, digest(checksum, *map(str, position))[:16]])
    return base64.urlsafe_b64encode(data.encode()).decode()


def _decode_cursor(cursor: str, checksum: str) -> Position:
    try:
        when, created, name, mark = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        genuine = mark == digest(checksum, str(int(when)), str(int(created)), name)[:16]
    except (binascii.Error, ValueError, TypeError, AttributeError):
        genuine = False
    if not genuine:
        raise InvalidArguments(
            "This list with these tags never returned this `cursor`. Start again without it.", argument="cursor"
        )
    return when, created, name


TOOL = Tool(
    name="memory_list",
    function="search",
    description="List what you remember about this user, newest first, page by page. Call it to look through memories"
    " without a question in mind, or before tidying them up. To find something particular call memory_search. It"
    " changes nothing.",
    arguments=List,
    reply=Listed,
    run=run,
)
