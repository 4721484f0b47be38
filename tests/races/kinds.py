"""The races: for each what stands there before, who calls what at the same moment, and what may come of it."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial as applied
from typing import Any, Final

from memtools.domain.trace import Change

from tests.calls import Caller
from tests.races import account
from tests.races.account import Judge, Outcome, one_wins, refusals, together, took_effect
from tests.races.state import Finding, describe, lost, untrue
from tests.races.workers import LANES, Call, Lane


@dataclass(frozen=True, slots=True)
class Course:
    """What a race runs, and how to judge it beyond what any state and any answer has to be."""

    lanes: Sequence[Lane]
    judge: Judge


Race = Callable[[Caller, int], Course]
RACES: Final[dict[str, Race]] = {}
# Everybody at one place, or a few each at several places: the first makes long queues, the others close finishes.
_GROUPS = (8, 1, 16)


def _race(prepare: Race) -> Race:
    RACES[prepare.__name__.replace("_", " ")] = prepare
    return prepare


def _groups(number: int) -> int:
    return _GROUPS[number % len(_GROUPS)]


def _mark(place: int) -> str:
    return f"<{place}>"


def _lanes(calls: Sequence[Call], number: int) -> list[Lane]:
    """A lane for each call, in an order that changes from round to round and can be had again."""
    return [[call] for call in random.Random(number).sample(calls, len(calls))]


def _deal(groups: int, *makers: Callable[[int, str], Call]) -> list[Call]:
    """Calls for all lanes: in each group the makers by turns, each call with a mark of its own."""
    each = LANES // groups
    return [makers[place % each % len(makers)](place // each, _mark(place)) for place in range(LANES)]


def _facts(caller: Caller, groups: int, *names: str) -> list[dict[str, str]]:
    """A trace for each group and name; their ids by name, group by group."""
    texts = [f"{name} of group {group}" for group in range(groups) for name in names]
    ids = [one["id"] for one in caller.add(facts=texts)["saved"]]
    return [dict(zip(names, ids[start : start + len(names)], strict=True)) for start in range(0, len(ids), len(names))]


def _about_a_fact(caller: Caller, number: int, *makers: Callable[[str, str], Call]) -> list[Call]:
    """Calls about the one fact of each group."""
    groups = _groups(number)
    ids = _facts(caller, groups, "fact")
    return _deal(groups, *(lambda group, mark, make=make: make(ids[group]["fact"], mark) for make in makers))


def _course(calls: Sequence[Call], number: int, *judges: Judge) -> Course:
    """A call in each lane."""
    return Course(_lanes(calls, number), together(*judges))


def _update(trace_id: str, mark: str, **more: Any) -> Call:
    return Call("update", {"trace_id": trace_id, "content": f"changed by {mark}", **more}, mark)


def _delete(trace_id: str, mark: str, **more: Any) -> Call:
    return Call("delete", {"trace_id": trace_id, "reason": mark, **more}, mark)


def _merge(ids: Sequence[str], mark: str) -> Call:
    return Call("merge", {"trace_ids": list(ids), "merged_content": f"merged by {mark}"}, mark)


def _join(*ids: str) -> Call:
    return Call("merge", {"trace_ids": list(ids)})


def _edit(action: str, mark: str, **more: Any) -> Call:
    return Call("edit", {"action": action, **more}, mark)


def _always(tool: str, which: Callable[[Call], bool]) -> Judge:
    """Calls of the tool for which nothing in the race is a reason to be refused."""

    def judge(outcome: Outcome) -> Iterator[Finding]:
        for told in outcome.of(tool):
            if told.refused and which(told.call):
                yield untrue(f"refused for nothing: {told}")

    return judge


def _trace_id(call: Call) -> str:
    return str(call.arguments["trace_id"])


def _as_joined(outcome: Outcome) -> Iterator[Finding]:
    """A merge without a text of its own says what the traces said that went into it, as it met them."""
    for chain in outcome.end.chains.values():
        for one in chain:
            if one.change is Change.MERGED and not one.content.startswith("merged by"):
                assert one.merge is not None
                parts = [outcome.end.version(one.id, one.version - 1)]
                for source in one.merge.sources:
                    tombstone = next(t for t in outcome.end.chains[source] if t.writes[0] == one.writes[0])
                    parts.append(outcome.end.version(source, tombstone.version - 1))
                if one.content != " | ".join(part.content for part in parts if part):
                    yield lost(f"merged from what was no longer there: {describe([one])}")


def _all_in(name: str) -> Callable[[Call], str]:
    """All calls in one group of this name."""
    return lambda _: name


# Documents


@_race
def appends(caller: Caller, number: int) -> Course:
    if number % 2:
        caller.edit(action="add", text="there before")
    calls = [_edit("add", _mark(n), text=f"entry {_mark(n)}" + "\nof two lines" * (n % 2)) for n in range(LANES)]
    return Course(_lanes(calls, number), refusals(edit=""))


@_race
def replaces_of_the_same_text(caller: Caller, number: int) -> Course:
    for text in ("before", "the colour is blue", "after"):
        caller.edit(action="add", text=text)
    calls = [_edit("replace", _mark(n), text="blue", with_=_mark(n)) for n in range(LANES)]

    def judge(outcome: Outcome) -> Iterator[Finding]:
        entries = ["before", f"the colour is {_winner(outcome)}", "after"]
        for told in outcome.told:
            if told.code == "not_found" and told.details["entries"] != entries:
                yield untrue(f"shown other entries than there are: {told}")

    return _course(calls, number, refusals(edit="not_found"), one_wins("edit", _all_in("blue")), judge)


def _winner(outcome: Outcome) -> str:
    return next((told.call.mark for told in outcome.told if told.reply), "?")


@_race
def edits_of_the_same_version(caller: Caller, number: int) -> Course:
    version = caller.edit(action="add", text="the colour is blue")["version"]
    calls = [
        _edit("replace", _mark(n), text="blue", with_=_mark(n), version=version)
        if n % 2
        else _edit("add", _mark(n), text=_mark(n), version=version)
        for n in range(LANES)
    ]
    return _course(calls, number, refusals(edit="conflict"), one_wins("edit", _all_in("the version")))


@_race
def appends_against_undo(caller: Caller, number: int) -> Course:
    for before in range(LANES // 2):
        caller.edit(action="add", text=f"before {before}")
    calls = [_edit("undo", "") if n % 2 else _edit("add", _mark(n), text=f"entry {_mark(n)}") for n in range(LANES)]
    return _course(calls, number, refusals(edit=""), account.undone)


# Traces


@_race
def adds_of_the_same_fact(caller: Caller, number: int) -> Course:
    groups = _groups(number)

    def add(group: int, mark: str) -> Call:
        fact = f"the same fact {group}"
        return Call(
            "add", {"facts": [fact.upper() if len(mark) % 2 else fact, f"fact of {mark}"], "tags": [mark]}, mark
        )

    def judge(outcome: Outcome) -> Iterator[Finding]:
        saved = [one["content"].casefold() for told in outcome.told for one in (told.reply or {}).get("saved", [])]
        unknown = any(told.reply is None for told in outcome.told)
        for group in range(groups):
            count = saved.count(f"the same fact {group}")
            if count > 1 or (count == 0 and not unknown):
                yield untrue(f"the same fact was told to be saved {count} times")
        for told in outcome.told:
            reply = told.reply
            if reply and reply["message"] != f"Saved {len(reply['saved'])} fact(s) to memory.":
                yield untrue(f"told another number than it saved: {told}")
            if reply and len(reply["saved"]) + len(reply["duplicates"]) != len(told.call.arguments["facts"]):
                yield untrue(f"told of some facts only: {told}")
        if not unknown and len(outcome.end.live) != len(saved):
            yield untrue(f"{len(outcome.end.live)} traces live, {len(saved)} told")

    return Course(_lanes(_deal(groups, add), number), together(refusals(add=""), judge))


@_race
def add_against_delete(caller: Caller, number: int) -> Course:
    groups = _groups(number)
    ids = _facts(caller, groups, "fact")
    calls = _deal(
        groups,
        lambda group, mark: Call("add", {"facts": [f"fact of group {group}"], "tags": [mark]}, mark),
        lambda group, mark: _delete(ids[group]["fact"], mark),
    )
    return Course(_lanes(calls, number), refusals(add="", delete="not_found"))


@_race
def delete_against_update(caller: Caller, number: int) -> Course:
    calls = _about_a_fact(caller, number, _update, _delete)
    judges = (refusals(update="not_found", delete="not_found"), one_wins("delete", _trace_id))
    return _course(calls, number, *judges)


@_race
def changes_of_the_same_version(caller: Caller, number: int) -> Course:
    calls = _about_a_fact(caller, number, applied(_update, version=1), applied(_delete, version=1))

    def judge(outcome: Outcome) -> Iterator[Finding]:
        for name, chain in outcome.end.chains.items():
            if len(chain) > 2:
                yield untrue(f"more than one change of version 1 of {name}: {describe(chain)}")
            won = [told for told in outcome.told if took_effect(told) and _trace_id(told.call) == name]
            if len(won) != 1 and all(told.code != "unavailable" for told in outcome.told):
                yield untrue(f"{len(won)} calls won version 1 of {name}")

    codes = "conflict not_found"
    return _course(calls, number, refusals(update=codes, delete=codes), judge)


@_race
def overlapping_merges(caller: Caller, number: int) -> Course:
    """The shared trace is a source of all merges of its group: only one can have it."""
    groups = _groups(number)
    each = LANES // groups
    names = [*(f"survivor {place}" for place in range(each)), "shared"]
    ids = _facts(caller, groups, *names)
    calls = [
        _merge([ids[place // each][f"survivor {place % each}"], ids[place // each]["shared"]], _mark(place))
        for place in range(LANES)
    ]
    shared = one_wins("merge", lambda call: str(call.arguments["trace_ids"][1]))
    return _course(calls, number, refusals(merge="conflict not_found"), shared)


@_race
def chained_merges(caller: Caller, number: int) -> Course:
    """A ring: each trace survives one merge and is a source of the next."""
    size = (4, 8, 32)[number % 3]
    names = [str(place) for place in range(size)]
    ids = _facts(caller, LANES // size, *names)
    calls = [
        _join(ids[place // size][str(place % size)], ids[place // size][str((place + 1) % size)])
        for place in range(LANES)
    ]
    return _course(calls, number, refusals(merge="conflict not_found"), _as_joined)


@_race
def the_same_merge(caller: Caller, number: int) -> Course:
    groups = _groups(number)
    ids = _facts(caller, groups, "one", "two", "three")
    calls = _deal(groups, lambda group, _: _join(*ids[group].values()))

    def judge(outcome: Outcome) -> Iterator[Finding]:
        answers = {str(sorted(told.reply.items())) for told in outcome.told if told.reply}
        if len(answers) > groups:
            yield untrue(f"the same merge was answered in {len(answers)} ways, of {groups}: {sorted(answers)}")

    return _course(calls, number, refusals(merge=""), _as_joined, judge)


@_race
def update_against_merge(caller: Caller, number: int) -> Course:
    groups = _groups(number)
    ids = _facts(caller, groups, "survivor", "source")
    survivors = {one["survivor"] for one in ids}
    calls = _deal(
        groups,
        lambda group, mark: _merge([ids[group]["survivor"], ids[group]["source"]], mark),
        lambda group, mark: _update(ids[group]["source"], mark),
        lambda group, _: _join(ids[group]["survivor"], ids[group]["source"]),
        lambda group, mark: _update(ids[group]["survivor"], mark),
    )
    return _course(
        calls,
        number,
        refusals(merge="conflict not_found", update="not_found"),
        _always("update", lambda call: _trace_id(call) in survivors),
        _as_joined,
    )


@_race
def delete_against_merge(caller: Caller, number: int) -> Course:
    groups = _groups(number)
    ids = _facts(caller, groups, "survivor", "source")
    calls = _deal(
        groups,
        lambda group, mark: _merge([ids[group]["survivor"], ids[group]["source"]], mark),
        lambda group, mark: _delete(ids[group]["source" if len(mark) % 2 else "survivor"], mark),
    )
    return Course(_lanes(calls, number), refusals(merge="conflict not_found", delete="not_found"))


@_race
def unmerge_against_update(caller: Caller, number: int) -> Course:
    groups = _groups(number)
    ids = _facts(caller, groups, "survivor", "source")
    for one in ids:
        caller.merge(trace_ids=[one["survivor"], one["source"]], merged_content=f"merged {one['source']}")
    survivors = {one["survivor"] for one in ids}
    calls = _deal(
        groups,
        lambda group, _: Call("unmerge", {"survivor_id": ids[group]["survivor"]}),
        lambda group, mark: _update(ids[group]["survivor"], mark),
        lambda group, _: Call("unmerge", {"survivor_id": ids[group]["survivor"]}),
        lambda group, mark: _update(ids[group]["source"], mark),
    )

    def judge(outcome: Outcome) -> Iterator[Finding]:
        for told in outcome.of("unmerge"):
            chain = outcome.end.chains[told.call.arguments["survivor_id"]]
            first = chain[2].change if len(chain) > 2 else None
            right = {"conflict": Change.UPDATED, "not_found": Change.UNMERGED}.get(told.code, first)
            if first is not right:
                yield untrue(f"refused for a reason that was none: {told}; {describe(chain)}")

    return _course(
        calls,
        number,
        refusals(unmerge="conflict not_found", update="not_found"),
        _always("update", lambda call: _trace_id(call) in survivors),
        judge,
    )


@_race
def restore_against_update(caller: Caller, number: int) -> Course:
    """Of every second group the trace is deleted to begin with."""
    groups = _groups(number)
    ids = _facts(caller, groups, "fact")
    alive = set()
    for place, one in enumerate(ids):
        if (place + number) % 2:
            caller.delete(trace_id=one["fact"])
        else:
            caller.update(trace_id=one["fact"], content=f"second version {place}")
            alive.add(one["fact"])
    calls = _deal(
        groups,
        lambda group, _: Call("restore", {"trace_id": ids[group]["fact"], "version": 1}),
        lambda group, mark: _update(ids[group]["fact"], mark),
    )

    def judge(outcome: Outcome) -> Iterator[Finding]:
        for told in outcome.of("restore"):
            if told.reply and not told.reply["trace"]["content"].startswith("fact of group"):
                yield untrue(f"told to be restored to what it was not: {told}")

    judges = (refusals(restore="", update="not_found"), _always("update", lambda call: _trace_id(call) in alive), judge)
    return _course(calls, number, *judges)


# Counting


def _hits(outcome: Outcome) -> dict[str, list[int]]:
    """For each trace the counts that searches told of it."""
    counts: dict[str, list[int]] = {}
    for told in outcome.of("search"):
        for hit in (told.reply or {}).get("results", []):
            counts.setdefault(hit["id"], []).append(hit["retrievalCount"])
    return counts


def _counted(outcome: Outcome) -> Iterator[Finding]:
    """Each hit told was counted once, each with a number of its own."""
    hits = _hits(outcome)
    if not hits:
        yield untrue("no search found anything, so nothing was tried")
    unknown = sum(told.code == "unavailable" for told in outcome.of("search"))
    for name, trace in outcome.end.current.items():
        before = outcome.start.current[name].retrieval_count
        told = Counter(hits.get(name, []))
        if not told.total() <= trace.retrieval_count - before <= told.total() + unknown:
            yield untrue(f"{trace.retrieval_count - before} retrievals counted, {told.total()} told: {trace.content!r}")
        yield from (untrue(f"count {count} told {times} times") for count, times in told.items() if times > 1)


@_race
def searches_against_updates(caller: Caller, number: int) -> Course:
    groups = (4, 1, 8)[number % 3]
    ids = _facts(caller, groups, "harbour light")
    search = Call("search", {"query": "harbour light", "limit": 10})

    def updates(place: int) -> list[Call]:
        names = (ids[place % groups]["harbour light"], ids[(place + 1) % groups]["harbour light"])
        marks = (_mark(place), _mark(place + LANES))
        return [
            Call("update", {"trace_id": name, "content": f"harbour light as of {mark}"}, mark)
            for name, mark in zip(names, marks, strict=True)
        ]

    lanes: list[Lane] = [updates(place) if place // 2 % 2 else [search] * 3 for place in range(LANES)]
    return Course(lanes, together(refusals(search="", update=""), _counted))


@_race
def searches_against_merges(caller: Caller, number: int) -> Course:
    """What a survivor counts is the sum: no retrieval that was told is missing in it."""
    groups = (4, 8, 16)[number % 3]
    ids = _facts(caller, groups, "harbour light", "harbour lamp")
    search = Call("search", {"query": "harbour", "limit": 40})
    merges = [_merge(list(ids[place % groups].values()), _mark(place % groups)) for place in range(LANES)]
    lanes: list[Lane] = [[merges[place // 4], search] if place // 2 % 2 else [search] * 3 for place in range(LANES)]

    def judge(outcome: Outcome) -> Iterator[Finding]:
        hits = {name: len(counts) for name, counts in _hits(outcome).items()}
        if any(told.code == "unavailable" for told in outcome.told):
            return
        for name, trace in outcome.end.live.items():
            told = sum(hits.get(part, 0) for part in (name, *trace.merged_from))
            if trace.retrieval_count != told:
                yield untrue(f"{trace.retrieval_count} retrievals counted, {told} told: {describe([trace])}")

    return Course(lanes, together(refusals(search="", merge="conflict"), judge))
