"""LangGraph's long-term memory over this memory: ``memtools-client[langgraph]``.

    graph.compile(store=MemtoolsStore(client))

An item is a trace: its text is the trace's content, and namespace and key are among its tags. What a trace cannot hold
raises DoesNotFit, since no search would find it in another form:

- A value is ``{"text": …}`` and, if wanted, ``{"tags": […]}``; ``text_field`` names the first one otherwise.
- A memory holds a fact once, so two keys cannot have the same text. A fact that the agent remembered by itself becomes
  the item and keeps its tags.
- There is no filter and no time to live, and the whole text is always indexed. A search with a query reaches 100 items.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final
from urllib.parse import unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memtools_client.client import MemoryClient
from memtools_client.errors import NotFound
from memtools_client.replies import Hit, Memory

Namespace = tuple[str, ...]

_LONGEST_TAG: Final = 100
_MOST_HITS: Final = 100
_PAGE: Final = 100
_UNRESERVED: Final = b"abcdefghijklmnopqrstuvwxyz0123456789-_.~"
# An item's tags: each namespace above it and its own, its own again, and its key.
_IN, _AT, _KEY = _PREFIXES = ("in:", "at:", "key:")


class DoesNotFit(NotImplementedError):
    """LangGraph's interface allows it, but a trace cannot hold it. Nothing was written."""


class MemtoolsStore(BaseStore):
    """The store of one agent and one user; every other user needs a store of their own, in spite of namespaces.

    Its methods raise DoesNotFit or a MemoryToolError.
    """

    def __init__(self, client: MemoryClient, *, text_field: str = "text") -> None:
        self._client = client
        self._text_field = text_field

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations: first all that read, then the last put of each item. It is not one transaction."""
        operations = list(ops)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in operations]
        puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
        values = {place: self._checked(op) for place, op in puts.items()}  # before anything is written
        for (namespace, key), value in values.items():
            self._put(namespace, key, value)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                traces = self._at(op.namespace, op.key)
                return self._item(traces[0]) if traces else None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case _:
                raise DoesNotFit(f"There is no operation {type(op).__name__} here.")

    def _at(self, namespace: Namespace, key: str) -> list[Memory]:
        """The item's traces, newest first; several where two clients put a new item at the same time."""
        return list(self._traces([_tag(_AT, *namespace), _tag(_KEY, key)]))

    def _traces(self, tags: list[str]) -> Iterator[Memory]:
        cursor: str | None = None
        while True:
            page = self._client.memory_list(limit=_PAGE, tags=tags, cursor=cursor)
            yield from page.results
            cursor = page.next_cursor
            if cursor is None:
                return

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if op.filter:
            raise DoesNotFit("A value has no fields but its text and tags, so there is nothing to filter by.")
        tags = [_tag(_IN, *op.namespace_prefix)]
        end = op.offset + op.limit
        if not op.query:
            return [self._search_item(trace) for trace in islice(self._traces(tags), op.offset, end)]
        if end > _MOST_HITS:
            raise DoesNotFit(f"A search with a query reaches {_MOST_HITS} items: ask a narrower one.")
        hits = self._client.memory_search(op.query, limit=max(1, end), tags=tags).results
        return [self._search_item(hit) for hit in hits[op.offset : end]]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        namespaces = {_place(trace.tags)[0] for trace in self._traces([_tag(_IN)])}
        matching = {
            namespace[: op.max_depth]
            for namespace in namespaces
            if all(_matches(condition, namespace) for condition in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]

    def _checked(self, op: PutOp) -> tuple[str, list[str]] | None:
        """The text and all tags of the item, or None where the put deletes it. Raises DoesNotFit."""
        if op.index is not None:
            raise DoesNotFit("The whole text is indexed, always: leave `index` out.")
        if op.ttl is not None:
            raise DoesNotFit("Items have no time to live: leave `ttl` out.")
        tags = _tags(op.namespace, op.key)
        if op.value is None:
            return None
        text, own = op.value.get(self._text_field), op.value.get("tags", [])
        known = set(op.value) <= {self._text_field, "tags"}
        if not known or not isinstance(text, str) or not text.strip() or not _are_tags(own):
            raise DoesNotFit(
                f"A value is {{{self._text_field!r}: text, 'tags': [text, …]}}; it has {sorted(op.value)}."
            )
        return text, [*tags, *own]

    def _put(self, namespace: Namespace, key: str, value: tuple[str, list[str]] | None) -> None:
        traces = self._at(namespace, key)
        if value is None:
            for trace in traces:
                self._delete(trace.id)
            return
        text, tags = value
        if traces:
            self._client.memory_update(traces[0].id, content=text, tags=tags)
            return
        added = self._client.memory_add([text], tags=tags)
        if added.duplicates:
            self._adopt(added.duplicates[0].id, tags, (namespace, key))

    def _adopt(self, trace_id: str, tags: list[str], place: tuple[Namespace, str]) -> None:
        """Make a known fact the item, unless it is another item already."""
        current = self._client.memory_history(trace_id=trace_id, limit=1).versions[0]
        own = current.tags or []
        if any(tag.startswith(_AT) for tag in own):
            if _place(own) == place:
                return
            namespace, key = _place(own)
            raise DoesNotFit(f"The same text is remembered as {key!r} in {namespace}; a memory holds a fact once.")
        self._client.memory_update(trace_id, tags=[*tags, *own], version=int(current.version))

    def _delete(self, trace_id: str) -> None:
        try:
            self._client.memory_delete(trace_id)
        except NotFound:
            return

    def _item(self, trace: Memory) -> Item:
        namespace, key = _place(trace.tags)
        value = self._value(trace)
        return Item(value=value, key=key, namespace=namespace, created_at=trace.created_at, updated_at=trace.updated_at)

    def _search_item(self, trace: Memory) -> SearchItem:
        namespace, key = _place(trace.tags)
        score = trace.score if isinstance(trace, Hit) else None
        return SearchItem(namespace, key, self._value(trace), trace.created_at, trace.updated_at, score)

    def _value(self, trace: Memory) -> dict[str, Any]:
        own = [tag for tag in trace.tags if not tag.startswith(_PREFIXES)]
        return {self._text_field: trace.content, **({"tags": own} if own else {})}


def _tags(namespace: Namespace, key: str) -> list[str]:
    within = [_tag(_IN, *namespace[:depth]) for depth in range(len(namespace) + 1)]
    return [*within, _tag(_AT, *namespace), _tag(_KEY, key)]


def _tag(prefix: str, *parts: str) -> str:
    """One tag of several parts, joined by slashes."""
    tag = prefix + "/".join(_encoded(part) for part in parts)
    if len(tag) > _LONGEST_TAG:
        raise DoesNotFit(f"Namespaces and keys are tags, which have up to {_LONGEST_TAG} characters; {tag} is longer.")
    return tag


def _encoded(part: str) -> str:
    """Percent-encoded. Capitals are encoded too, since the service ignores the case of tags."""
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02x}" for byte in part.encode())


def _are_tags(own: object) -> bool:
    """Whether these are tags that the service stores unchanged and that do not look like a place."""
    if not isinstance(own, list) or not all(isinstance(tag, str) for tag in own):
        return False
    kept = list(dict.fromkeys(tag.strip() for tag in own if tag.strip()))
    return kept == own and not any(tag.startswith(_PREFIXES) for tag in own)


def _place(tags: list[str]) -> tuple[Namespace, str]:
    at = next(tag for tag in tags if tag.startswith(_AT)).removeprefix(_AT)
    key = next(tag for tag in tags if tag.startswith(_KEY)).removeprefix(_KEY)
    return tuple(unquote(part) for part in at.split("/")), unquote(key)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    length = len(condition.path)
    part = namespace[:length] if condition.match_type == "prefix" else namespace[-length:]
    return len(part) == length and all(
        wanted in ("*", actual) for wanted, actual in zip(condition.path, part, strict=True)
    )
