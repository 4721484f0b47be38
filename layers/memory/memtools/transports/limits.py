"""Replies within what an envelope carries: cut at whole results, never inside a text, and always told."""

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, Final

from memtools.errors import TooLarge, ToolError
from memtools.transports.call import Outcome

# What Bedrock takes of an action group, "25 KB", which no primary source confirms: the smaller of the two kinds of KB.
BEDROCK_REPLY: Final = 25_000
# What Lambda hands back, to whoever calls.
LAMBDA_REPLY: Final = 6 * 1024 * 1024

# The lists of replies whose items stand on their own, in the order in which they are cut.
_LISTS: Final = ("duplicates", "saved", "results", "versions")
# A reply with one of these only tells what is there. The others tell of a change that has been made: that they cannot
# be sent whole is no reason to call it failed.
_READS: Final = ("results", "versions", "found")
_MESSAGE_LIMIT: Final = 2_000

Encode = Callable[[Outcome], dict[str, Any]]
Fits = Callable[[Outcome], bool]


def fit(outcome: Outcome, limit: int, encode: Encode) -> dict[str, Any]:
    """``encode(outcome)``, or that of as much of the outcome as makes a reply of at most ``limit`` bytes."""
    reply = encode(outcome)
    # Where what is echoed is already too much, leaving out memories would not help.
    if _size(reply) <= limit or _size(encode({})) > limit:
        return reply

    def fits(one: Outcome) -> bool:
        return _size(encode(one)) <= limit

    if isinstance(outcome, ToolError):
        return encode(_shorter(outcome, fits))
    shortened = _cut(outcome, fits) or (
        _refusal(outcome, limit) if any(name in outcome for name in _READS) else _without_parts(outcome, fits)
    )
    return encode(shortened)


def _size(reply: Mapping[str, Any]) -> int:
    return len(json.dumps(reply, ensure_ascii=False).encode(errors="surrogatepass"))


def _cut(result: Mapping[str, Any], fits: Fits) -> Mapping[str, Any] | None:
    """The result with as few items left out as will do; None where even the last one that may go is too much."""
    total = sum(len(result.get(name, ())) for name in _LISTS)
    # A page without any result is no page, but whoever added facts can do without hearing them again.
    most = total - 1 if any(name in result for name in _READS) else total
    fewest = bisect_left(range(most + 1), True, lo=1, key=lambda count: fits(_without_last(result, count)))
    return _without_last(result, fewest) if 1 <= fewest <= most else None


def _without_last(result: Mapping[str, Any], count: int) -> dict[str, Any]:
    cut = dict(result)
    left = count
    for name in _LISTS:
        items = cut.get(name, [])
        gone = min(left, len(items))
        if gone:
            cut[name] = items[: len(items) - gone]
            left -= gone
    # It would lead past what was left out.
    cut.pop("nextCursor", None)
    note = _note(result, count, len(cut.get("results", ())))
    return {**cut, "leftOut": count, "note": " ".join(filter(None, (result.get("note"), note)))}


def _note(result: Mapping[str, Any], count: int, kept: int) -> str:
    """How to get at what was left out."""
    match result:
        case {"results": [{"score": _}, *_]}:
            return (
                f"The {count} least relevant memories found were left out, since the reply would be too large. To see"
                " them, ask narrower questions, or narrow by tags, since and until."
            )
        case {"results": _}:
            return (
                f"The last {count} memories of this page were left out, since the reply would be too large. To see them"
                f" all, ask for this page again with limit {kept}, and go on from its nextCursor."
            )
        case {"versions": _}:
            return (
                f"The {count} oldest of these versions were left out, since the reply would be too large. They are"
                " kept, and a memory's can be restored by their numbers."
            )
        case _:
            return (
                f"All was done as told; {count} entries of this reply were left out, since it would be too large."
                " memory_list and memory_search show the memories."
            )


def _refusal(result: Mapping[str, Any], limit: int) -> TooLarge:
    """For what is only read, where a single text is too much."""
    if "found" in result:
        return TooLarge(
            "The text is too large for a reply, and a text is never cut. Read `self` and `user` one by one; if that is"
            " what you did, the document has to become shorter: have entries removed that are no longer needed.",
            size=_size(result),
            limit=limit,
        )
    items = result.get("results") or result.get("versions") or [result]
    details = {
        "size": _size(items[0]),
        "limit": limit,
        **{name: items[0][name] for name in ("id",) if name in items[0]},
    }
    if len(items) == 1 and "nextCursor" in result:
        details["nextCursor"] = result["nextCursor"]
    return TooLarge(
        "The first of what was found is too large for a reply, and a text is never cut: `details` says how large it is"
        " and, if it is a memory, its `id`. To pass it by in memory_list, ask with limit 1, then go on from"
        " `details.nextCursor`; in memory_search, ask for something else.",
        **details,
    )


def _without_parts(result: Mapping[str, Any], fits: Fits) -> dict[str, Any]:
    """For a change that was made: its largest parts go, whole, until the rest fits."""
    kept = {name: part for name, part in result.items() if name not in _LISTS}
    gone = [name for name in result if name in _LISTS]
    for name in sorted(kept, key=lambda one: _size({one: kept[one]}), reverse=True):
        part = kept.pop(name)
        if isinstance(part, dict):  # a trace, which its id and version stand for
            kept[name] = {one: part[one] for one in ("id", "version") if one in part}
        gone.append(name)
        if fits(_done(kept, gone)):
            break
    return _done(kept, gone)


def _done(kept: Mapping[str, Any], gone: list[str]) -> dict[str, Any]:
    note = f"All was done as told. To keep this reply small, {', '.join(gone)} was left out. Do not repeat the call."
    return {**kept, "leftOut": len(gone), "note": note}


def _shorter(error: ToolError, fits: Fits) -> ToolError:
    """The error with as many of its details as fit: lists are cut at whole items, other details go whole."""
    details = dict(error.details)
    gone: dict[str, int] = {}
    for name in sorted(details, key=lambda one: _size({one: details[one]}), reverse=True):
        whole = details.pop(name)
        if not isinstance(whole, list):
            gone[name] = 1
        elif fits(_told(error, details | {name: []}, gone | {name: len(whole)})):
            kept = _most(error, details, gone, (name, whole), fits)
            return _told(error, details | {name: whole[:kept]}, gone | {name: len(whole) - kept})
        else:
            gone[name] = len(whole)
        if fits(shorter := _told(error, details, gone)):
            return shorter
    return _told(error, {}, {})


def _most(
    error: ToolError, details: dict[str, Any], gone: dict[str, int], cut: tuple[str, list[Any]], fits: Fits
) -> int:
    """How many items of the list ``cut`` can stay; none always can."""
    name, whole = cut

    def too_many(count: int) -> bool:
        return not fits(_told(error, details | {name: whole[:count]}, gone | {name: len(whole) - count}))

    return bisect_left(range(len(whole) + 1), True, key=too_many) - 1


def _told(error: ToolError, details: dict[str, Any], gone: dict[str, int]) -> ToolError:
    long = len(error.message) > _MESSAGE_LIMIT
    message = f"{error.message[:_MESSAGE_LIMIT]} …" if long else error.message
    names = ", ".join(f"{count} of {name}" for name, count in gone.items())
    if not gone:
        return type(error)(message, **details)
    return type(error)(
        f"{message} (Of `details` was left out what would make this reply too large: {names}.)",
        **details,
        leftOut=sum(gone.values()),
    )
