"""Plays a history: each process calls tools at random, and somebody stops and kills processes."""

import random
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from memtools.domain.scope import Scope

from tests.histories.events import OK, Event
from tests.histories.processes import Process

_KNOWN = 20


class Play:
    """The calls of one history. What one process added, all others change and read.

    Every fact has a word that nothing else has. Its kind says what may become of it: ``kept`` stays, ``gone`` is
    deleted and never comes back, ``changed`` gets new words, ``merged`` is merged with others and unmerged.
    """

    def __init__(self, processes: Sequence[Process], seed: int) -> None:
        self.events: list[Event] = []
        self._processes = processes
        self._seed = seed
        self._lock = threading.Lock()
        self._facts: dict[str, list[tuple[str, str]]] = {"kept": [], "gone": [], "changed": [], "merged": []}
        self._adds: list[Event] = []
        self._merges: list[str] = []
        self.stopped = self.killed = 0

    def run(self, calls: int, *, disturbed: bool) -> list[Event]:
        """Let every process make so many calls; the history, without the calls that ended last."""
        threads = [threading.Thread(target=self._live, args=(one, calls)) for one in self._processes]
        done = threading.Event()
        nemesis = threading.Thread(target=self._disturb, args=(done,))
        for thread in threads:
            thread.start()
        if disturbed:
            nemesis.start()
        for thread in threads:
            thread.join()
        done.set()
        if disturbed:
            nemesis.join()
        for process in self._processes:
            self._read_all(process)
        return self.events

    def _disturb(self, done: threading.Event) -> None:
        chance = random.Random(f"nemesis {self._seed}")
        while not done.wait(chance.uniform(0.2, 1.2)):
            process = chance.choice(self._processes)
            if chance.random() < 0.5:
                self.killed += 1
                process.kill()
            else:
                self.stopped += 1
                process.stop_for(chance.uniform(0.1, 1.0))

    def _live(self, process: Process, calls: int) -> None:
        chance = random.Random(f"{self._seed} {process.number}")
        steps = [self._add] * 4 + [self._search] * 6 + [self._delete, self._update] * 2 + [self._again] * 2
        steps += [self._merge, self._unmerge, self._edit, self._edit, self._again, self._again, self._list]
        for _ in range(calls):
            chance.choice(steps)(process, chance)

    def _note(self, event: Event) -> Event:
        with self._lock:
            self.events.append(event)
        return event

    def _some(self, kind: str, chance: random.Random) -> tuple[str, str] | None:
        with self._lock:
            return chance.choice(self._facts[kind]) if self._facts[kind] else None

    def _add(self, process: Process, chance: random.Random) -> None:
        kind = chance.choice(list(self._facts))
        word = _word()
        event = process.ask("add", purpose=kind, key=uuid4().hex, facts=[f"{word} is a fact"])
        self._note(event)
        if event.outcome == OK:
            with self._lock:
                self._facts[kind].append((event.reply["saved"][0]["id"], word))
                self._adds.append(event)

    def _search(self, process: Process, chance: random.Random) -> None:
        if fact := self._some(chance.choice(list(self._facts)), chance):
            self._note(process.ask("search", query=fact[1], limit=5))

    def _list(self, process: Process, chance: random.Random) -> None:
        self._note(process.ask("list", limit=chance.choice([5, 100])))

    def _delete(self, process: Process, chance: random.Random) -> None:
        """Delete a fact; then the call that added it comes once more, late, and must not bring it back."""
        if fact := self._some("gone", chance):
            deleted = self._note(process.ask("delete", purpose=fact[1], key=uuid4().hex, traceId=fact[0]))
            if deleted.outcome == OK:
                with self._lock:
                    first = next(one for one in self._adds if one.reply["saved"][0]["id"] == fact[0])
                self._note(process.ask("add", purpose="again", key=first.key, **first.arguments))

    def _update(self, process: Process, chance: random.Random) -> None:
        if fact := self._some("changed", chance):
            content = f"{_word()} is a change"
            self._note(process.ask("update", purpose=fact[1], key=uuid4().hex, traceId=fact[0], content=content))

    def _merge(self, process: Process, chance: random.Random) -> None:
        with self._lock:
            known = list(self._facts["merged"])
        if len(known) > 1:
            ids = [name for name, _ in chance.sample(known, 2)]
            event = self._note(process.ask("merge", key=uuid4().hex, traceIds=ids))
            if event.outcome == OK:
                self._merges.append(event.reply["survivorId"])

    def _unmerge(self, process: Process, chance: random.Random) -> None:
        if self._merges:
            self._note(process.ask("unmerge", key=uuid4().hex, survivorId=chance.choice(self._merges)))

    def _edit(self, process: Process, chance: random.Random) -> None:
        self._note(process.ask("edit", key=uuid4().hex, action="add", text=f"{_word()} is an entry"))
        if chance.random() < 0.3:
            self._note(process.ask("read", target="self"))

    def _again(self, process: Process, chance: random.Random) -> None:
        """Send a call again that succeeded, by whomever, with its key: it must have no second effect.

        A key is known through the next twenty writes of others.
        """
        with self._lock:
            done = [one for one in self.events if one.key and one.outcome == OK]
        if done:
            first = chance.choice(done[-_KNOWN:])
            event = process.ask(first.tool, purpose="again", key=first.key, **first.arguments)
            self._note(event)

    def _read_all(self, process: Process) -> None:
        """At the end, every process looks for everything."""
        for fact in [fact for facts in self._facts.values() for fact in facts]:
            self._note(process.ask("search", query=fact[1], limit=5))
        cursor: dict[str, Any] = {}
        while True:
            event = self._note(process.ask("list", purpose="all", limit=100, **cursor))
            if "nextCursor" not in event.reply:
                break
            cursor = {"cursor": event.reply["nextCursor"]}
        self._note(process.ask("read", target="self"))


def _word() -> str:
    """A word of letters that no other fact has, and that is no slip of another one."""
    return "w" + "".join(chr(ord("a") + int(digit, 16)) for digit in uuid4().hex[:14])


def play(
    scope: Scope,
    skews: Sequence[float],
    settings: Mapping[str, str],
    *,
    calls: int,
    seed: int,
    disturbed: bool = True,
) -> Play:
    """A history of processes with these clocks, played."""
    processes = [Process(number, scope, skew, settings) for number, skew in enumerate(skews)]
    try:
        history = Play(processes, seed)
        history.run(calls, disturbed=disturbed)
        return history
    finally:
        for process in processes:
            process.close()
