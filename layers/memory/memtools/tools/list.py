"""memory_list: lists all live traces, newest first, page by page."""

import base64
import binascii
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Self

from pydantic import Field

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.text import digest, fold
from memtools.domain.trace import Trace
from memtools.errors import InvalidArguments
from memtools.tools.tool import Arguments, Limit, Memory, Reply, Tags, Text, Tool

# A trace's position in its scope's order: when it happened, when it was created, its id.
Position = tuple[int, int, str]


class List(Arguments):
    limit: Limit = Field(20, description="Maximum number of memories on a page, 1 to 100.")
    tags: Tags = Field([], description="Only memories that have all of these tags.")
    cursor: Text | None = Field(
        None,
        max_length=1000,
        description="`nextCursor` of the previous page; keep the same tags. Without it, the list starts with the"
        " newest.",
    )


class Listed(Reply):
    shortens = ("results",)
    left_out_note = (
        "The last {count} memories of this page were left out because the reply would be too large. To see all of"
        " them, request this page again with limit {kept}, then continue from its `nextCursor`."
    )
    too_large = "To skip it, use limit 1, then continue from `details.nextCursor`."

    results: list[Memory] = Field(description="Newest first.")
    next_cursor: str | None = Field(None, description="The cursor of the next page; absent on the last page.")

    def without_last(self, count: int) -> Self:
        """Leave out the cursor too, because it would skip what was left out."""
        return super().without_last(count).model_copy(update={"next_cursor": None})


def run(backend: Backend, scope: Scope, arguments: List) -> Listed:
    """A page of live traces with their current content, newest first."""
    tags = frozenset(fold(tag) for tag in arguments.tags)
    checksum = digest(scope.key, *sorted(tags))[:16]
    after = _decode_cursor(arguments.cursor, checksum) if arguments.cursor else None
    now = backend.now()
    with backend.indexes.fresh(scope) as index:
        places = list(index.newest(tags, now, after))
        page: list[Trace] = []
        read = 0
        while (wanted := arguments.limit - len(page)) and (next_ := places[read : read + wanted]):
            ids = [index.identity(place)[0] for place in next_]
            page += _confirmed(backend, scope, ids, now)
            read += len(ids)
    return Listed(
        results=[Memory.of(trace) for trace in page],
        next_cursor=_encode_cursor(index.position(places[read - 1]), checksum) if read < len(places) else None,
    )


def _confirmed(backend: Backend, scope: Scope, ids: Sequence[str], now: datetime) -> list[Trace]:
    """The traces that are still alive in the table. The others are dropped from the index."""
    found = backend.traces.get(scope, ids)
    live = [found[one] for one in ids if one in found and found[one].alive(now)]
    if len(live) < len(ids):
        gone = set(ids) - {trace.id for trace in live}
        backend.indexes.correct(scope, list(gone), {one: found[one] for one in gone & found.keys()})
    return live


def _encode_cursor(position: Position, checksum: str) -> str:
    """A cursor: a position in a list, and a checksum that makes it invalid in any other list."""
    data = json.dumps([*position, digest(checksum, *map(str, position))[:16]])
    return base64.urlsafe_b64encode(data.encode()).decode()


def _decode_cursor(cursor: str, checksum: str) -> Position:
    try:
        when, created, name, mark = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        whole = isinstance(when, int) and isinstance(created, int)
        genuine = whole and mark == digest(checksum, str(when), str(created), name)[:16]
    except (binascii.Error, ValueError, TypeError, AttributeError, RecursionError):
        genuine = False
    if not genuine:
        raise InvalidArguments(
            "Invalid `cursor`: it does not come from this list with these tags. Start again without it.",
            argument="cursor",
        )
    return when, created, name


TOOL = Tool(
    name="memory_list",
    title="List memories",
    function="search",
    description="List what you remember about this user, newest first, page by page. Call it to look through memories"
    " without a question in mind, or before you tidy them up. To find something specific, call memory_search. It"
    " changes nothing.",
    arguments=List,
    reply=Listed,
    run=run,
)
