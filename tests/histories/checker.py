"""What a history must not show. A pure function of its events.

A call that began after another one ended must see its effect. Calls that overlap may be in any order. A call without an
answer may have had its effect, at any time since, or none.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from tests.histories.events import OK, REFUSED, UNKNOWN, Event

_WORD = re.compile(r"\bw[a-p]{14}\b")


@dataclass
class Verdict:
    """How much was checked, and what was wrong: what was told and is lost, and what was told and is untrue."""

    checks: int = 0
    lost: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)

    def check(self, holds: bool, problems: list[str], what: object) -> None:
        """Count a check, and note it if it does not hold."""
        self.checks += 1
        if not holds:
            problems.append(str(what))


def words_of(text: str) -> list[str]:
    """The words in a text that belong to one fact or entry each."""
    return _WORD.findall(text)


def check(events: Sequence[Event]) -> Verdict:
    """Check the history."""
    verdict = Verdict()
    _check_facts(events, verdict)
    _check_merged(events, verdict)
    _check_versions(events, verdict)
    _check_document(events, verdict)
    return verdict


def story_of(problem: str, events: Sequence[Event]) -> list[str]:
    """The calls that changed what a problem is about, in order."""
    words = set(words_of(problem))
    about = [one for one in events if words & set(words_of(f"{dict(one.arguments)} {one.purpose}"))]
    ids = {str(one.arguments["traceId"]) for one in about if "traceId" in one.arguments}
    changes = [one for one in events if one.tool not in ("search", "list", "read")]
    return [
        str(one) for one in sorted(changes, key=_began) if one in about or ids & set(map(str, one.arguments.values()))
    ]


@dataclass(slots=True)
class _Life:
    """When a word could first be there, when it had to be, and the same for its end."""

    kind: str
    id: str = ""
    born: float = inf  # the first call that could have stored it began
    known: float = inf  # a call that stored it was told so, or somebody saw it
    ending: float = inf  # the first call that could have ended it began
    ended: float = inf  # a call that ended it was told so

    def must_be_found(self, read: Event) -> bool:
        return self.known < read.began and read.ended < self.ending

    def must_not_be_found(self, read: Event) -> bool:
        return self.ended < read.began or read.ended < self.born


def _reads(events: Iterable[Event]) -> list[Event]:
    return sorted((one for one in events if one.tool in ("search", "list") and one.outcome == OK), key=_began)


def _began(event: Event) -> float:
    return event.began


def _contents(read: Event) -> list[str]:
    return [one["content"] for one in read.reply["results"]]


def _lives(events: Sequence[Event]) -> dict[str, _Life]:
    """The words of facts that are kept, deleted or changed, each change a word of its own."""
    lives: dict[str, _Life] = {}
    current: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for event in sorted(events, key=_began):
        if event.tool == "add" and event.purpose in ("kept", "gone", "changed"):
            (word,) = words_of(event.arguments["facts"][0])
            life = lives.setdefault(word, _Life(event.purpose, born=event.began))
            if event.outcome == OK and event.reply["saved"]:
                life.known, life.id = event.ended, event.reply["saved"][0]["id"]
                current[life.id].append((1, word))
        if event.tool == "delete" and event.outcome != REFUSED and event.purpose in lives:
            life = lives[event.purpose]
            life.ending = min(life.ending, event.began)
            if event.outcome == OK:
                life.ended = min(life.ended, event.ended)
        if event.tool == "update" and event.outcome != REFUSED and event.purpose != "again":
            (word,) = words_of(event.arguments["content"])
            lives[word] = _Life("changed", event.arguments["traceId"], born=event.began)
            if event.outcome == OK:
                lives[word].known = event.ended
                current[event.arguments["traceId"]].append((event.reply["trace"]["version"], word))
    _end_by_changes(events, lives, current)
    return lives


def _end_by_changes(
    events: Sequence[Event], lives: dict[str, _Life], current: dict[str, list[tuple[int, str]]]
) -> None:
    """A change ends the words of the versions before it; one without an answer may have ended any."""
    changes = [one for one in events if one.tool == "update" and one.purpose != "again"]
    told = {words_of(one.arguments["content"])[0]: one for one in changes}
    for word, change in told.items():
        if change.outcome == UNKNOWN:  # it had its effect at any time since, so any other change may have ended it
            rivals = [one for one in changes if one.arguments["traceId"] == change.arguments["traceId"]]
            after = [one.began for one in rivals if one is not change and _end(one) > change.began]
            lives[word].ending = min([lives[word].ending, *after])
    for name, versions in current.items():
        for version, word in versions:
            later = [told[other] for number, other in versions if number > version]
            unknown = [one for one in told.values() if one.arguments["traceId"] == name and one.outcome == UNKNOWN]
            life = lives[word]
            life.ending = min([life.ending, *(one.began for one in (*later, *unknown))])
            life.ended = min([life.ended, *(one.ended for one in later)])


def _check_facts(events: Sequence[Event], verdict: Verdict) -> None:
    lives = _lives(events)
    for read in _reads(events):
        found = {word for content in _contents(read) for word in words_of(content)}
        asked = words_of(read.arguments.get("query", ""))
        for word in asked if read.tool == "search" else (lives if read.purpose == "all" else ()):
            life = lives.get(word)
            if life and life.must_be_found(read) and not _is_partial(read):
                verdict.check(word in found, verdict.lost, f"{word} ({life.kind}) is not in {read}")
        for word in found & lives.keys():
            life = lives[word]
            verdict.check(not life.must_not_be_found(read), verdict.untrue, f"{word} ({life.kind}) is still in {read}")
            if life.known is inf or life.known > read.ended:
                life.known = read.ended  # a call without an answer had its effect


def _is_partial(read: Event) -> bool:
    """One page of a list does not have everything."""
    return read.tool == "list" and ("cursor" in read.arguments or "nextCursor" in read.reply)


def _check_merged(events: Sequence[Event], verdict: Verdict) -> None:
    """However facts are merged and unmerged, each of their words is in one live memory, when nobody is about it."""
    known = {
        words_of(one.arguments["facts"][0])[0]: one.ended
        for one in events
        if one.tool == "add" and one.purpose == "merged" and one.outcome == OK
    }
    changes = [one for one in events if one.tool in ("merge", "unmerge") and one.outcome != REFUSED]
    for read in _reads(events):
        busy = any(one.began < read.ended and read.began < _end(one) for one in changes)
        asked = words_of(read.arguments.get("query", ""))
        if busy or read.tool != "search" or not asked or asked[0] not in known or known[asked[0]] > read.began:
            continue
        holders = sum(asked[0] in words_of(content) for content in _contents(read))
        verdict.check(holders > 0, verdict.lost, f"{asked[0]} (merged) is not in {read}")
        verdict.check(holders < 2, verdict.untrue, f"{asked[0]} (merged) is in several of {read}")


def _end(event: Event) -> float:
    return inf if event.outcome == UNKNOWN else event.ended


def _check_versions(events: Sequence[Event], verdict: Verdict) -> None:
    """A version of a memory has one content, and later calls see no earlier version."""
    contents: dict[tuple[str, int], str] = {}
    shown = sorted(_shown(events), key=lambda one: one[0].ended)
    newest: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for event, name, version, content in shown:
        known = contents.setdefault((name, version), content)
        verdict.check(known == content, verdict.untrue, f"version {version} of {name} has two contents: {event}")
        newest[name].append((event.ended, version))
    for event, name, version, _ in shown:
        before = max((number for ended, number in newest[name] if ended < event.began), default=0)
        again = event.purpose == "again"  # tells of the version that the first call made
        verdict.check(again or version >= before, verdict.untrue, f"version {version} after {before}: {event}")


def _shown(events: Iterable[Event]) -> Iterator[tuple[Event, str, int, str]]:
    for event in events:
        traces: list[Any] = [*event.reply.get("results", ()), event.reply.get("trace")]
        for one in traces if event.outcome == OK else ():
            if one and "content" in one:
                yield event, one["id"], one["version"], one["content"]


def _check_document(events: Sequence[Event], verdict: Verdict) -> None:
    """Each entry that was told is in the document once; one that was refused never."""
    edits = [one for one in events if one.tool == "edit" and one.purpose != "again"]
    for read in (one for one in events if one.tool == "read" and one.outcome == OK):
        found = Counter(words_of(read.reply["text"]))
        for edit in edits:
            (word,) = words_of(edit.arguments["text"])
            if edit.outcome == OK and edit.ended < read.began:
                verdict.check(found[word] > 0, verdict.lost, f"the entry {word} is not in {read}")
            verdict.check(found[word] < 2, verdict.untrue, f"the entry {word} is there twice in {read}")
            if edit.outcome == REFUSED:
                verdict.check(not found[word], verdict.untrue, f"the entry {word} was refused, and is in {read}")
