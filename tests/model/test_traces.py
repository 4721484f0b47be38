"""Random lives of two scopes' traces against a plain model: every answer, and the whole memory after every step."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.freshness import indexes as freshness

from tests.calls import Caller
from tests.fakes import FakeClock
from tests.model.answers import NOT_FOUND, Make, agree, answer, check, seen
from tests.model.traces import Trace, Traces, Version, same_fact

WORDS = [
    *("tea", "Tea", "TEA ", "coffee", "Straße", "STRASSE", "é", "e\u0301"),
    *("東京", "- a", "x" * 3000, "!!", "🏳️‍🌈 \u200f"),
]
texts = st.one_of(
    st.sampled_from(WORDS), st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.strip)
)

users = st.sampled_from([0, 0, 0, 1])
picks = st.integers(0, 50)
tag_lists = st.lists(st.sampled_from(["a", "b", "ü"]), max_size=2, unique=True)


class Life(RuleBasedStateMachine):
    make: Make
    strict = False  # whether the store removes what has expired
    numbers = iter(range(10**9))

    @initialize()
    def start(self) -> None:
        self.memory, self.clock = type(self).make()
        agent = f"model-{type(self).__name__}-{next(self.numbers)}"
        self.callers = [Caller(self.memory, Scope(agent, user)) for user in ("u1", "u10")]
        self.models = [Traces(), Traces()]
        self.touched: list[set[str]] = [set(), set()]
        for who in (0, 1):
            self.add(who, ["tea", "coffee", "water"], ["a"], expiring=False)

    def at(self, who: int) -> tuple[Caller, Traces, datetime]:
        return self.callers[who], self.models[who], self.clock.now()

    def pick(self, who: int, number: int, *, dead: bool = True) -> Trace | None:
        """One of the scope's traces, the youngest first, dead ones too."""
        model = self.models[who]
        traces = list(model.by_id.values())[::-1] if dead else model.alive(self.clock.now())[::-1]
        trace = traces[number % len(traces)] if traces else None
        self.touched[who].update([trace.id] if trace else [])
        return trace

    @rule(who=users, facts=st.lists(texts | st.just(" \n"), max_size=4), tags=tag_lists, expiring=st.booleans())
    def add(self, who: int, facts: list[str], tags: list[str], expiring: bool) -> None:
        caller, model, now = self.at(who)
        minutes = 20 if self.strict else 90
        expires = (now + timedelta(minutes=minutes)).replace(microsecond=0) if expiring else None
        told = caller.add(facts=facts, tags=tags, **({"expiresAt": expires.isoformat()} if expires else {}))
        new: dict[str, str] = {}
        for fact in filter(str.strip, facts):
            if not model.saying(fact, now):
                new.setdefault(same_fact(fact), fact)
        assert [one["content"] for one in told["saved"]] == list(new.values())
        if facts:
            assert not new or told["message"] == f"Saved {len(new)} fact(s) to memory."
        else:
            assert told["message"] == "Nothing to save."
        for one in told["saved"]:
            self.save(who, one["id"], Version("added", one["content"], tuple(tags), expires), now)
        known = Counter(same_fact(fact) for fact in facts if fact.strip()) - Counter(list(new))
        holders = [model.by_id[one["id"]] for one in told["duplicates"]]
        assert all(holder.alive(now) for holder in holders)
        assert Counter(same_fact(holder.now.content) for holder in holders) == known

    def save(self, who: int, name: str, version: Version, now: datetime) -> None:
        """A fact lives again where it died, unless a memory that was born with it says something else by now."""
        model = self.models[who]
        born = model.born_as(version.content)
        if born is not None and not born.alive(now):
            assert name == born.id
        else:
            assert name not in model.by_id
        model.save(name, version)
        self.touched[who].add(name)

    @rule(who=users, pick=picks, back=st.integers(0, 3), tags=tag_lists, expiring=st.booleans())
    def add_again(self, who: int, pick: int, back: int, tags: list[str], expiring: bool) -> None:
        """What some trace says, or said: known, given up, dead or expired."""
        if trace := self.pick(who, pick):
            self.add(who, [trace.versions[-1 - back % len(trace.versions)].content], tags, expiring)

    @rule(who=users, pick=picks, content=st.none() | texts, tags=st.none() | tag_lists, stale=st.booleans())
    def update(self, who: int, pick: int, content: str | None, tags: list[str] | None, stale: bool) -> None:
        caller, model, now = self.at(who)
        if (trace := self.pick(who, pick)) is None or (content is None and tags is None):
            return
        version = len(trace.versions) + 1 if stale else None
        told = answer(lambda: caller.update(traceId=trace.id, content=content, tags=tags, version=version))
        agree(told, model.update(trace.id, content, tags, version, now))

    @rule(who=users, pick=picks, stale=st.booleans())
    def delete(self, who: int, pick: int, stale: bool) -> None:
        caller, model, now = self.at(who)
        if (trace := self.pick(who, pick)) is None:
            return
        version = len(trace.versions) + 1 if stale else None
        told = answer(lambda: caller.delete(traceId=trace.id, version=version))
        agree(told, model.delete(trace.id, version, now))

    @rule(who=users, pick=picks, back=st.none() | st.integers(0, 4))
    def restore(self, who: int, pick: int, back: int | None) -> None:
        caller, model, now = self.at(who)
        if (trace := self.pick(who, pick)) is None:
            return
        version = None if back is None else max(len(trace.versions) - back, 1)
        told = answer(lambda: caller.restore(traceId=trace.id, version=version))
        agree(told, model.restore(trace.id, version, now))

    @rule(who=users, chosen=st.lists(picks, min_size=2, max_size=4), content=st.none() | texts, odd=st.booleans())
    def merge(self, who: int, chosen: list[int], content: str | None, odd: bool) -> None:
        """Mostly of live traces, at times with some that are dead or were never there."""
        picked = [self.pick(who, number, dead=False) for number in chosen]
        named = [trace.id for trace in picked if trace]
        self.merge_these(who, named + [*self.models[who].by_id, "mt_none"][: 2 if odd else 0], content)

    def merge_these(self, who: int, named: list[str], content: str | None) -> None:
        caller, model, now = self.at(who)
        named = list(dict.fromkeys(named))
        if len(named) < 2:
            return
        self.touched[who].update(named)
        told = answer(lambda: caller.merge(traceIds=named, mergedContent=content))
        agree(told, *model.merge(named, content, now))

    @rule(who=users, pick=picks, back=st.none() | st.integers(0, 3), same_content=st.booleans())
    def merge_again(self, who: int, pick: int, back: int | None, same_content: bool) -> None:
        """What went into a memory, once more; before that, one of them may have come back."""
        _, model, now = self.at(who)
        survivors = [trace for trace in model.alive(now) if trace.now.merged_from]
        if not survivors:
            return
        survivor = survivors[pick % len(survivors)]
        sources = sorted(survivor.now.merged_from)
        if back is not None:
            self.restore(who, list(model.by_id)[::-1].index(sources[back % len(sources)]), None)
        self.merge_these(who, [survivor.id, *sources], survivor.now.content if same_content else None)

    @rule(who=users, pick=picks, dead=st.booleans())
    def unmerge(self, who: int, pick: int, dead: bool) -> None:
        caller, model, now = self.at(who)
        merged = [trace for trace in model.alive(now) if trace.now.merge]
        trace = merged[pick % len(merged)] if merged and not dead else self.pick(who, pick)
        if trace is None:
            return
        self.touched[who].update([trace.id, *(trace.now.merge.sources if trace.now.merge else ())])
        told = answer(lambda: caller.unmerge(survivorId=trace.id))
        agree(told, *model.unmerge(trace.id, now))

    @rule(who=users, depth=st.integers(1, 3), pick=picks)
    def merge_and_come_apart(self, who: int, depth: int, pick: int) -> None:
        """Merges of what merges left, then as many steps back, whoever survives."""
        for _ in range(depth):
            self.merge(who, [0, 1, pick], None, odd=False)
        for number in range(depth + 1):
            self.unmerge(who, number, dead=False)

    @rule(who=users, text=texts)
    def search(self, who: int, text: str) -> None:
        """Every hit is what the model knows, counted."""
        caller, model, now = self.at(who)
        hits = caller.search(query=text, limit=100)["results"]
        self.count(model, hits, now)

    @rule(who=users, pick=picks)
    def find(self, who: int, pick: int) -> None:
        """A live trace is found by its own text, a dead one never."""
        caller, model, now = self.at(who)
        if (trace := self.pick(who, pick)) is None:
            return
        hits = caller.search(query=trace.now.content, limit=100)["results"]
        assert (trace.id in [hit["id"] for hit in hits]) == trace.alive(now)
        self.count(model, hits, now)

    @staticmethod
    def count(model: Traces, hits: list[dict[str, Any]], now: datetime) -> None:
        for hit in hits:
            trace = model.by_id[hit["id"]]
            trace.count += 1
            assert trace.alive(now)
            assert seen(hit) == trace.shown()
            assert hit["lastRetrievedAt"]

    @rule(who=users, pick=picks)
    def cross(self, who: int, pick: int) -> None:
        """Another scope's id, and one that never was, lead nowhere."""
        other = self.callers[1 - who]
        trace = self.pick(who, pick)
        foreign = trace.id if trace and trace.id not in self.models[1 - who].by_id else "mt_none"
        for call in (other.delete, other.history, other.restore):
            agree(answer(lambda call=call: call(traceId=foreign)), NOT_FOUND)  # type: ignore[misc]
        agree(answer(lambda: other.unmerge(survivorId=foreign)), NOT_FOUND)

    @rule(who=users)
    def start_anew(self, who: int) -> None:
        """Another process answers from here on: it knows what the table and the segment hold."""
        caller = self.callers[who]
        self.callers[who] = Caller(replace(caller.memory), caller.scope)

    @rule(minutes=st.integers(1, 60))
    def wait(self, minutes: int) -> None:
        self.clock.advance(timedelta(minutes=minutes))

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        """The list of both scopes, whole and in its order; the history of what the step named."""
        for who, model in enumerate(getattr(self, "models", [])):
            caller, _, now = self.at(who)
            told = caller.list(limit=100)["results"]
            assert {one["id"]: seen(one) for one in told} == {trace.id: trace.shown() for trace in model.alive(now)}
            born = [one["createdAt"] for one in told]
            assert born == sorted(born, reverse=True)
            for name in self.touched[who]:
                self.history_agrees(caller, model.by_id.get(name), now)
            self.touched[who].clear()

    @staticmethod
    def history_agrees(caller: Caller, trace: Trace | None, now: datetime) -> None:
        if trace is None:
            return
        told = answer(lambda: caller.history(traceId=trace.id, limit=100))
        if trace.now.expired(now):
            agree(told, NOT_FOUND)
            return
        assert isinstance(told, dict)
        wanted = trace.history()
        versions = [{name: one.get(name) for name in wanted[0]} for one in told["versions"]]
        assert [{**one, "mergedFrom": set(one["mergedFrom"] or ())} for one in versions] == wanted


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are written from a few traces on."""
    monkeypatch.setattr(freshness, "FEW", 3)


def test_traces_live_as_the_model_says_on_the_fakes(new_fake_memory: Make) -> None:
    check(Life, new_fake_memory, examples=25, steps=40)


class StrictLife(Life):
    strict = True


def test_traces_live_as_the_model_says_on_strict_moto(strict_memory: Backend, clock: FakeClock) -> None:
    check(StrictLife, lambda: (strict_memory, clock), examples=3, steps=15)
