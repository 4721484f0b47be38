"""Makes replies fit into their envelope: leaves out whole items, never part of a text, and says so."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, Final

from memtools.errors import TooLarge, ToolError
from memtools.tools.tool import Reply
from memtools.wire.incoming import Outcome, size_of

_MESSAGE_LIMIT: Final = 2_000  # characters

Encode = Callable[[Outcome], dict[str, Any]]
Answer = Reply | ToolError  # the outcome of a tool, before it is encoded
Fits = Callable[[Outcome], bool]


def shortened(outcome: Answer, limit: int, encode: Encode) -> Outcome:
    """A shorter form of an outcome that is too large, whose encoded reply has at most ``limit`` bytes."""
    # If the repeated parts of the event are too large already, leaving out memories does not help.
    if size_of(encode({})) > limit:
        return outcome.as_dict() if isinstance(outcome, Reply) else outcome

    def fits(one: Outcome) -> bool:
        return size_of(encode(one)) <= limit

    return _shorter_error(outcome, fits) if isinstance(outcome, ToolError) else _shorter_reply(outcome, limit, fits)


def _shorter_reply(reply: Reply, limit: int, fits: Fits) -> Outcome:
    """The reply with as few items left out as possible.

    If not even one item fits: a change without its largest parts, or an error.
    """
    total = sum(len(getattr(reply, name)) for name in reply.shortens)
    # A read without any result is useless, but a change can be reported without its content.
    most = total if reply.changes else total - 1
    counts = range(1, most + 1)
    fewest = bisect_left(counts, True, key=lambda count: fits(reply.without_last(count).as_dict()))
    if fewest < len(counts):
        return reply.without_last(counts[fewest]).as_dict()
    return _without_parts(reply, fits) if reply.changes else _refusal(reply, limit)


def _refusal(reply: Reply, limit: int) -> TooLarge:
    """The error for a read whose first text is too large."""
    first = reply.as_dict()
    for name in reply.shortens:
        items = first[name]
        cursor = {"nextCursor": first["nextCursor"]} if len(items) == 1 and "nextCursor" in first else {}
        first = {**items[0], **cursor} if items else first
    details = {name: first[name] for name in ("id", "nextCursor") if name in first}
    return TooLarge(
        f"The result is too large for a reply, and texts are never truncated. {reply.too_large}",
        size=size_of(first),
        limit=limit,
        **details,
    )


def _without_parts(reply: Reply, fits: Fits) -> dict[str, Any]:
    """The reply to a change without its largest parts, as many as necessary."""
    kept = {name: part for name, part in reply.as_dict().items() if name not in reply.shortens}
    gone = list(reply.shortens)
    for name in sorted(kept, key=lambda one: size_of({one: kept[one]}), reverse=True):
        part = kept.pop(name)
        if isinstance(part, dict):  # a memory: keep its id and version
            kept[name] = {one: part[one] for one in ("id", "version") if one in part}
        gone.append(name)
        if fits(_done(kept, gone)):
            break
    return _done(kept, gone)


def _done(kept: Mapping[str, Any], gone: list[str]) -> dict[str, Any]:
    left_out = ", ".join(gone)
    note = f"The change was made. To keep this reply small, it lacks these parts: {left_out}. Do not repeat the call."
    return {**kept, "leftOut": len(gone), "note": note}


def _shorter_error(error: ToolError, fits: Fits) -> ToolError:
    """The error with as many of its details as fit. Lists lose their last items; other details are left out whole."""
    details = dict(error.details)
    gone: dict[str, int] = {}
    for name in sorted(details, key=lambda one: size_of({one: details[one]}), reverse=True):
        whole = details.pop(name)
        if isinstance(whole, list) and (cut := _cut(error, details, gone, name, fits)):
            return cut
        gone[name] = len(whole) if isinstance(whole, list) else 1
        if fits(shorter := _with_details(error, details, gone)):
            return shorter
    return _with_details(error, {}, {})


def _cut(error: ToolError, details: dict[str, Any], gone: dict[str, int], name: str, fits: Fits) -> ToolError | None:
    """The error with ``details`` and as much of its list ``name`` as fits; ``None`` if not even the empty list does."""
    whole = error.details[name]

    def without_last(count: int) -> ToolError:
        return _with_details(error, details | {name: whole[: len(whole) - count]}, gone | {name: count})

    fewest = bisect_left(range(len(whole) + 1), True, key=lambda count: fits(without_last(count)))
    return without_last(fewest) if fewest <= len(whole) else None


def _with_details(error: ToolError, details: dict[str, Any], gone: dict[str, int]) -> ToolError:
    long = len(error.message) > _MESSAGE_LIMIT
    message = f"{error.message[:_MESSAGE_LIMIT]} …" if long else error.message
    names = ", ".join(f"{count} of {name}" for name, count in gone.items())
    if not gone:
        return type(error)(message, **details)
    return type(error)(
        f"{message} (Left out of `details` because this reply would be too large: {names}.)",
        **details,
        leftOut=sum(gone.values()),
    )
