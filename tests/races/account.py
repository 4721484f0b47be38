"""What callers were told, held against what is there: each told write once, each refusal without a trace."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial as applied
from itertools import pairwise

from memtools.domain.document import Document
from memtools.domain.text import digest, fold
from memtools.domain.trace import Change, Trace

from tests.calls import Caller
from tests.races.state import Finding, State, describe, lost, partial, untrue
from tests.races.workers import Call, Told


@dataclass(frozen=True, slots=True)
class Outcome:
    """A race that was run."""

    start: State
    end: State
    told: Sequence[Told]

    def of(self, tool: str) -> list[Told]:
        """What the calls of one tool were told."""
        return [one for one in self.told if one.call.tool == tool]


def is_work_of(call: Call, version: Trace) -> bool:
    """Whether the call, and no other, asked for this version. Restoring and unmerging leave no mark."""
    given = call.arguments
    if call.tool == "add":
        return version.change is Change.ADDED and call.mark in version.tags and version.content in given["facts"]
    if call.tool == "merge":
        asked = digest(*given["trace_ids"], given.get("merged_content", ""))
        return version.change is Change.MERGED and version.merge is not None and version.merge.call == asked
    if version.id != given.get("trace_id", given.get("survivor_id")):
        return False
    if call.tool == "update":
        content, tags = given.get("content", version.content), given.get("tags", list(version.tags))
        return version.change is Change.UPDATED and (version.content, list(version.tags)) == (content, tags)
    if call.tool == "delete":
        return version.change is Change.DELETED and version.reason == call.mark
    return {"restore": Change.RESTORED, "unmerge": Change.UNMERGED}.get(call.tool) is version.change


def took_effect(told: Told) -> bool:
    """Whether the call succeeded; a deletion of what is deleted is a success that deleted nothing."""
    return told.reply is not None and bool(told.reply.get("deleted", True))


def _told_versions(told: Told) -> list[tuple[str, int, str]]:
    """Every version that a reply shows: id, version, content."""
    reply = told.reply or {}
    traces = [*reply.get("results", []), *([reply["trace"]] if "trace" in reply else [])]
    return [(one["id"], one["version"], one["content"]) for one in traces]


def _claims(told: Told) -> list[tuple[str, int | None]]:
    """Every version that the caller was told to have made: id and, where it was told, the version."""
    reply = told.reply or {}
    if told.call.tool == "add":
        return [(one["id"], None) for one in reply.get("saved", [])]
    if told.call.tool == "delete":
        return [(reply["id"], None)] if reply.get("deleted") else []
    trace = reply.get("trace")
    made = reply.get("updated", reply.get("restored", True))
    return [(trace["id"], trace["version"])] if trace and made else []


def traces(outcome: Outcome) -> Iterator[Finding]:
    """Of traces: what was told, against every version made in the race."""
    seen = {(trace.id, trace.version) for chain in outcome.start.chains.values() for trace in chain}
    made = [one for chain in outcome.end.chains.values() for one in chain if (one.id, one.version) not in seen]
    for told in outcome.told:
        if told.code == "crash":
            yield untrue(f"crashed: {told}")
        for name, number, content in _told_versions(told):
            version = outcome.end.version(name, number)
            if version is None or version.content != content:
                yield lost(f"told, but never there: {told}; {describe(outcome.end.chains.get(name, ()))}")
        yield from _reasons(outcome.end, told)
        yield from _answered(outcome.end, told, [one for one in made if is_work_of(told.call, one)])
    yield from _authors(outcome, made)


def _reasons(end: State, told: Told) -> Iterator[Finding]:
    """What a refusal tells of other traces was so at some time."""
    details = told.details
    if told.call.tool == "merge":
        if told.code == "conflict" and not set(details["traceIds"]) & set(told.call.arguments["trace_ids"]):
            yield untrue(f"in conflict with nothing that it named: {told}")
        pointers = dict(details.get("mergedInto", {}))
    else:
        pointers = {details["id"]: details["mergedInto"]} if "mergedInto" in details else {}
        if told.code == "conflict" and "content" in details:
            version = end.version(details["id"], details["version"])
            if version is None or version.content != details["content"]:
                yield untrue(f"told of a version that was never there: {told}")
    for name, into in pointers.items():
        if not any(name in version.merged_from for version in end.chains.get(into, ())):
            yield untrue(f"told that it was merged where it was not: {told}")


def _answered(end: State, told: Told, works: Sequence[Trace]) -> Iterator[Finding]:
    """A call's own versions are those it was told of, and none where it was refused."""
    claims = _claims(told)
    if told.call.tool in ("restore", "unmerge"):
        if told.reply and claims and claims[0] not in {(one.id, one.version) for one in works}:
            yield lost(f"told, but not made: {told}")
        return
    if told.refused and works and told.call.mark:
        yield untrue(f"refused, yet it took effect: {told}; {describe(works)}")
    if told.reply is None or told.call.tool == "search":
        return
    for name, number in claims:
        if not any(one.id == name and number in (None, one.version) for one in works) and not _done_before(end, told):
            yield lost(f"told, but not made: {told}; {describe(end.chains.get(name, ()))}")
    if len(works) > len(claims):
        yield untrue(f"made more than it told: {told}; {describe(works)}")


def _done_before(end: State, told: Told) -> bool:
    """Whether it is a merge without a text of its own, of what another merge had already brought together."""
    if told.reply is None or told.call.tool != "merge" or "merged_content" in told.call.arguments:
        return False
    survivor = end.version(told.reply["survivorId"], told.reply["trace"]["version"])
    return survivor is not None and set(told.reply["deletedIds"]) <= set(survivor.merged_from)


# What can be asked for by calls that leave no mark, so that it cannot be told whose version it is.
_WITHOUT_MARK = (Change.RESTORED, Change.MERGED, Change.UNMERGED)


def _authors(outcome: Outcome, made: Sequence[Trace]) -> Iterator[Finding]:
    """Each version made was asked for, and no two callers were told that they had made it."""
    for one in made:
        if one.change is Change.MERGED_AWAY or _is_brought_back(outcome, one):
            continue
        askers = [told for told in outcome.told if is_work_of(told.call, one)]
        if not askers:
            yield partial(f"nobody asked for this: {describe([one])}")
        owners = [told for told in askers if (one.id, one.version) in _claims(told)]
        if len(owners) > 1 and one.change not in (Change.MERGED, Change.UNMERGED):
            yield untrue(f"{len(owners)} calls were told to have made {describe([one])}")
        unknown = any(told.code == "unavailable" for told in askers)
        if askers and not owners and not unknown and one.change in _WITHOUT_MARK:
            yield untrue(f"made, but nobody was told: {describe([one])}")


def _is_brought_back(outcome: Outcome, one: Trace) -> bool:
    """Whether it lives again because somebody undid the merge which took it away."""
    before = outcome.end.version(one.id, one.version - 1)
    undone = {told.call.arguments["survivor_id"] for told in outcome.of("unmerge")}
    return one.change is Change.UNMERGED and before is not None and before.merged_into in undone


def duplicates(outcome: Outcome) -> Iterator[Finding]:
    """Who was told a trace that holds the fact was told one which did hold it, alive."""
    for told in outcome.of("add"):
        for one in (told.reply or {}).get("duplicates", []):
            chain = outcome.end.chains.get(one["id"], ())
            if not any(version.live and version.says(one["content"]) for version in chain):
                yield untrue(f"that trace never held it: {told}; {describe(chain)}")


def _edited(before: Sequence[str], call: Call) -> str:
    """The document after the call, from its texts on the way back, the current one last. Not the product's own code."""
    given = call.arguments
    text = before[-1] if before else ""
    if given["action"] == "add":
        return f"{text}- {given['text'].replace(chr(10), chr(10) + '  ')}\n"
    if given["action"] == "replace":
        return text.replace(given["text"], given["with_"], 1)
    if given["action"] == "remove":
        return text.replace(f"- {given['text']}\n", "", 1)
    return before[-2] if len(before) > 1 else ""


def _ways_back(versions: Sequence[Document]) -> dict[str, list[str]]:
    """For each version the texts on its way back, its own last: an edit adds one, an undo takes one away."""
    ways: dict[str, list[str]] = {}
    for one in versions:
        before = ways.get(one.replaces or "", [])
        ways[one.version] = before[:-1] if one.edit.startswith("undo:") else [*before, one.text]
    return ways


def _works(outcome: Outcome, call: Call) -> list[Document]:
    """The document's versions that the call, and no other with another mark, can have made of the version it read."""
    now = outcome.end.document
    action = f"{call.arguments['action']}:"
    ways = _ways_back(now)
    return [
        one
        for one in now[len(outcome.start.document) :]
        if one.edit.startswith(action) and one.text == _edited(ways.get(one.replaces or "", []), call)
    ]


def document(outcome: Outcome) -> Iterator[Finding]:
    """Of MEMORY.md: each version is one told edit, made on the version before it or on an older one of the same text.

    S3's condition is about content only: where an undo has brought a text back, it takes that for the version which an
    edit has read before. That edit does not name the writes in between. So if the answer of one of these was lost, and
    an undo took it back, it can happen again.
    """
    old, now = outcome.start.document, outcome.end.document
    if [one.version for one in now[: len(old)]] != [one.version for one in old]:
        yield lost("a version from before the race is gone")
    for before, after in pairwise(now):
        if after.replaces != before.version and before.text != _text_of(now, after.replaces):
            yield lost(f"an edit was made over another one unseen: {before.text!r} > {after.text!r}")
    made = {version.version: version for version in now[len(old) :]}
    asked: set[str] = set()
    for told in outcome.told:
        works = _works(outcome, told.call)
        asked |= {version.version for version in works}
        yield from _edit_answered(now, told, works)
    yield from (partial(f"nobody wrote this: {made[name].text!r}") for name in made.keys() - asked)


def _text_of(versions: Sequence[Document], version: str | None) -> str | None:
    return next((one.text for one in versions if one.version == version), None)


def _edit_answered(now: Sequence[Document], told: Told, works: Sequence[Document]) -> Iterator[Finding]:
    if told.code == "crash":
        yield untrue(f"crashed: {told}")
    if told.refused and works:
        yield untrue(f"refused, yet it took effect: {told}; {works[0].text!r}")
    if told.reply is None:
        if told.code == "conflict" and _text_of(now, told.details["version"]) != told.details["text"]:
            yield untrue(f"told of a version that was never there: {told}")
        return
    if _text_of(now, told.reply["version"]) != told.reply["text"]:
        yield lost(f"told, but never there: {told}")
    if "nothing written" in told.reply["message"]:
        return
    if not works:
        yield lost(f"told, but not made: {told}")
    # An undo took the first of them back, see above: then no version has its text twice.
    taken_back = any(one.edit.startswith("undo:") for one in now) and not _is_double(now, told.call)
    if told.call.mark and len(works) > 1 and not taken_back:
        yield untrue(f"told once, made {len(works)} times: {told}; {[one.text for one in works]}")


def _is_double(now: Sequence[Document], call: Call) -> bool:
    return any(one.text.count(call.mark) > 1 for one in now)


def undone(outcome: Outcome) -> Iterator[Finding]:
    """No more calls were told that they undid something than there are versions that an undo made."""
    told = [
        one
        for one in outcome.told
        if one.call.arguments["action"] == "undo" and one.reply and "nothing written" not in one.reply["message"]
    ]
    made = [one for one in outcome.end.document if one.edit.startswith("undo:")]
    if len(told) > len(made):
        yield untrue(f"{len(told)} calls were told that they undid something, {len(made)} did")


def shown(caller: Caller, end: State) -> Iterator[Finding]:
    """A list shows what is live, as it is; and what is said already is met by a trace that says it, not added again."""
    listed: dict[str, str] = {}
    cursor: dict[str, str] = {}
    while True:
        page = caller.list(limit=100, **cursor)
        listed |= {one["id"]: one["content"] for one in page["results"]}
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    if listed != {name: trace.content for name, trace in end.live.items()}:
        yield untrue(f"listed {listed}, live {sorted(end.live)}")
    facts = sorted({fold(trace.content): trace.content for trace in end.live.values()}.values())
    if not facts:
        return
    reply = caller.add(facts=facts[:100])
    yield from (untrue(f"said already, and yet saved again: {one}") for one in reply["saved"])
    for one in reply["duplicates"]:
        holder = end.live.get(one["id"])
        if holder is None or not holder.says(one["content"]):
            yield untrue(f"told to hold what it does not: {one}")


Judge = Callable[[Outcome], Iterator[Finding]]


def among(outcome: Outcome, tool: str, allowed: str) -> Iterator[Finding]:
    """Every refusal of the tool bears one of these codes."""
    for told in outcome.of(tool):
        if told.refused and told.code not in allowed.split():
            yield untrue(f"refused for a reason that was none: {told}")


def refusals(**allowed: str) -> Judge:
    """For each tool the codes, parted by spaces, with which it may refuse in this race."""

    def judge(outcome: Outcome) -> Iterator[Finding]:
        for tool, codes in allowed.items():
            yield from among(outcome, tool, codes)

    return judge


def together(*judges: Judge) -> Judge:
    """All of these."""

    def judge(outcome: Outcome) -> Iterator[Finding]:
        for one in judges:
            yield from one(outcome)

    return judge


def winners(outcome: Outcome, tool: str, group: Callable[[Call], str]) -> Iterator[Finding]:
    """Of each group of the tool's calls exactly one succeeded; at most one where somebody does not know."""
    groups: dict[str, list[Told]] = {}
    for told in outcome.of(tool):
        groups.setdefault(group(told.call), []).append(told)
    for name, all_told in groups.items():
        won = sum(map(took_effect, all_told))
        unknown = any(told.code == "unavailable" for told in all_told)
        if won > 1 or (won == 0 and not unknown):
            yield untrue(f"{won} of {len(all_told)} calls of {tool} won {name}")


def one_wins(tool: str, group: Callable[[Call], str]) -> Judge:
    """``winners`` as a judge."""
    return applied(winners, tool=tool, group=group)
