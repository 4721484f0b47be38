"""The checker notices what it is there for: in histories written by hand, and in code broken on purpose."""

from typing import Any

import pytest
from memtools.domain.scope import Scope

from tests.histories.checker import Verdict, check
from tests.histories.events import OK, REFUSED, UNKNOWN, Event
from tests.histories.play import play
from tests.races.command import STORES

WORD, OTHER = "w" + "a" * 14, "w" + "b" * 14


def event(tool: str, at: float, reply: Any = None, outcome: str = OK, purpose: str = "", **arguments: Any) -> Event:
    return Event(0, tool, arguments, at, at + 0.5, outcome, reply or {}, purpose)


def add(at: float, kind: str = "kept", word: str = WORD, outcome: str = OK) -> Event:
    saved = [{"id": "mt_1", "content": word}]
    return event("add", at, {"saved": saved}, outcome, kind, facts=[f"{word} is a fact"])


def search(at: float, *contents: str, word: str = WORD, version: int = 1) -> Event:
    results = [{"id": f"mt_{number}", "version": version, "content": one} for number, one in enumerate(contents, 1)]
    return event("search", at, {"results": results}, query=word)


def update(at: float, version: int, word: str = OTHER, outcome: str = OK) -> Event:
    trace = {"id": "mt_1", "version": version, "content": f"{word} is a change"}
    content = f"{word} is a change"
    return event("update", at, {"trace": trace}, outcome, WORD, traceId="mt_1", content=content)


def delete(at: float, outcome: str = OK) -> Event:
    return event("delete", at, {}, outcome, WORD, traceId="mt_1")


def edit(at: float, outcome: str = OK) -> Event:
    return event("edit", at, {}, outcome, action="add", text=f"{WORD} is an entry")


def read(at: float, *entries: str) -> Event:
    return event("read", at, {"text": "\n".join(entries)}, target="self")


FOUND = f"{WORD} is a fact"
GOOD: dict[str, list[Event]] = {
    "found": [add(0), search(1, FOUND)],
    "overlapping": [add(0), search(0.2)],
    "no answer, absent": [add(0, outcome=UNKNOWN), search(1)],
    "no answer, found from then on": [add(0, outcome=UNKNOWN), search(1), search(2, FOUND), search(3, FOUND)],
    "deleted": [add(0, "gone"), search(1, FOUND), delete(2), search(3)],
    "deletion without an answer": [add(0, "gone"), delete(1, UNKNOWN), search(2, FOUND), search(3)],
    "changed": [add(0, "changed"), update(1, 2), search(2), search(3, f"{OTHER} is a change", word=OTHER, version=2)],
    "merged": [add(0, "merged"), search(1, f"{WORD} is a fact | {OTHER} is a fact")],
    "entries": [edit(0), read(1, f"- {WORD} is an entry")],
}
LOST: dict[str, list[Event]] = {
    "never found": [add(0), search(1)],
    "found, then not": [add(0, outcome=UNKNOWN), search(1, FOUND), search(2)],
    "a change": [add(0, "changed"), update(1, 2), search(2, word=OTHER)],
    "merged away": [add(0, "merged"), search(1)],
    "an entry": [edit(0), read(1)],
}
UNTRUE: dict[str, list[Event]] = {
    "deleted and found": [add(0, "gone"), delete(1), search(2, FOUND)],
    "changed and found": [add(0, "changed"), update(1, 2), search(2, FOUND)],
    "two contents of a version": [add(0, "changed"), update(1, 2), update(2, 2, "w" + "c" * 14)],
    "an earlier version": [add(0), search(1, FOUND, version=3), search(2, FOUND, version=2)],
    "in two memories": [add(0, "merged"), search(1, FOUND, FOUND)],
    "an entry twice": [edit(0), read(1, WORD, WORD)],
    "a refused entry": [edit(0, REFUSED), read(1, WORD)],
}


@pytest.mark.parametrize("events", GOOD.values(), ids=GOOD)
def test_what_may_happen_passes(events: list[Event]) -> None:
    verdict = check(events)
    assert (verdict.lost, verdict.untrue) == ([], [])


@pytest.mark.parametrize("events", LOST.values(), ids=LOST)
def test_what_is_lost_is_noticed(events: list[Event]) -> None:
    verdict = check(events)
    assert (len(verdict.lost), verdict.untrue) == (1, [])


@pytest.mark.parametrize("events", UNTRUE.values(), ids=UNTRUE)
def test_what_is_untrue_is_noticed(events: list[Event]) -> None:
    verdict = check(events)
    assert (verdict.lost, bool(verdict.untrue)) == ([], True)


def played(store: str, scope: str, **settings: str) -> Verdict:
    """A history on the store, whose processes' clocks differ by an hour."""
    with STORES[store]() as names:
        skews, environment = (0.0, 3600.0, -3600.0), {**names, **settings}
        history = play(Scope(scope, "ana"), skews, environment, calls=100, seed=7, disturbed=not settings)
    assert sum(one.outcome == OK for one in history.events) > len(history.events) / 2
    return check(history.events)


@pytest.mark.parametrize("store", ["file", "moto"])
def test_no_process_loses_or_invents_anything(store: str) -> None:
    """A short history; `make test-histories` plays long ones."""
    verdict = played(store, "whole")
    assert (verdict.lost, verdict.untrue) == ([], [])
    assert verdict.checks > 500


@pytest.mark.parametrize("store", ["file", "moto"])
@pytest.mark.parametrize("damage", ["no conditions", "own clock", "no keys"])
def test_code_that_is_broken_on_purpose_is_noticed(store: str, damage: str) -> None:
    """Writes without conditions; changes ordered by our clocks and read without overlap; keys ignored."""
    verdict = played(store, damage.replace(" ", "-"), HISTORY_DAMAGE=damage)
    assert verdict.lost or verdict.untrue
