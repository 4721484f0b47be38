"""Random lives of a few scopes' traces against a plain model: state, versions, history, search agree at every step."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.text import fold
from memtools.domain.trace import key_of
from memtools.errors import NotFound, ToolError
from memtools.freshness import indexes as freshness

from tests.calls import Caller
from tests.fakes import FakeClock

WORDS = [
    "tea",
    "Tea",
    "TEA ",
    "coffee",
    "Straße",
    "STRASSE",
    "é",
    "e\u0301",
    "東京",
    "- a",
    "x" * 3000,
    "!!",
    "🏳️‍🌈 \u200f",
]
texts = st.one_of(
    st.sampled_from(WORDS),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.strip),
)
users = st.integers(0, 1)
picks = st.integers(0, 50)
tag_lists = st.lists(st.sampled_from(["a", "b", "ü"]), max_size=2, unique=True)


@dataclass
class Version:
    change: str
    content: str
    tags: list[str]
    live: bool = True
    expires: datetime | None = None
    merged_into: str | None = None
    merge: dict[str, Any] | None = None


@dataclass
class Trace:
    id: str
    count: int = 0
    versions: list[Version] = field(default_factory=list)

    @property
    def now(self) -> Version:
        return self.versions[-1]

    def is_outcome(self, number: int) -> bool:
        """Whether this version (from 1) is what a merge made of the trace, so that the merge can be undone."""
        merge = self.versions[number - 1].merge
        return merge is not None and merge["outcome"] == number

    def push(self, change: str, **changes: Any) -> Version:
        kept = {
            name: getattr(self.now, name) for name in ("content", "tags", "live", "expires", "merged_into", "merge")
        }
        self.versions.append(Version(change=change, **{**kept, **changes}))
        return self.now

    def stand_for(self, number: int) -> dict[str, Any] | None:
        """The merge of an earlier version, for a version about to be pushed that says the same."""
        merge = self.versions[number - 1].merge
        return {**merge, "outcome": len(self.versions) + 1} if merge and self.is_outcome(number) else merge


class Model:
    """One scope's traces as plain lists of versions."""

    def __init__(self) -> None:
        self.traces: dict[str, Trace] = {}

    def alive(self, moment: datetime) -> list[Trace]:
        return [trace for trace in self.traces.values() if self.is_alive(trace, moment)]

    @staticmethod
    def is_alive(trace: Trace, moment: datetime) -> bool:
        return trace.now.live and not Model.expired(trace, moment)

    @staticmethod
    def expired(trace: Trace, moment: datetime) -> bool:
        return trace.now.expires is not None and trace.now.expires <= moment


def outcome(call: Callable[[], dict[str, Any]]) -> dict[str, Any] | str:
    """The reply, or the error's code."""
    try:
        return call()
    except ToolError as error:
        return error.code


class Life(RuleBasedStateMachine):
    make: Callable[[], tuple[Backend, FakeClock]]
    numbers = iter(range(10**9))

    @initialize()
    def start(self) -> None:
        self.memory, self.clock = type(self).make()
        agent = f"model-{type(self).__name__}-{next(self.numbers)}"
        self.callers = [Caller(self.memory, Scope(agent, user)) for user in ("u1", "u10")]
        self.models = [Model(), Model()]

    @staticmethod
    def pick(model: Model, number: int) -> Trace | None:
        """One of the scope's traces, the youngest first, dead ones too."""
        traces = list(model.traces.values())[::-1]
        return traces[number % len(traces)] if traces else None

    def at(self, who: int) -> tuple[Caller, Model, datetime]:
        return self.callers[who], self.models[who], self.clock.now()

    @rule(who=users, facts=st.lists(texts, max_size=4), tags=tag_lists, expiring=st.booleans())
    def add(self, who: int, facts: list[str], tags: list[str], expiring: bool) -> None:
        self.remember(who, facts, tags, expiring)

    @rule(who=users, pick=picks, back=st.integers(0, 3), tags=tag_lists, expiring=st.booleans())
    def add_again(self, who: int, pick: int, back: int, tags: list[str], expiring: bool) -> None:
        """What some trace says, or said: known, given up, dead or expired."""
        if trace := self.pick(self.models[who], pick):
            self.remember(who, [trace.versions[-1 - back % len(trace.versions)].content], tags, expiring)

    def remember(self, who: int, facts: list[str], tags: list[str], expiring: bool) -> None:
        caller, model, now = self.at(who)
        expires = (now + timedelta(minutes=90)).replace(microsecond=0) if expiring else None
        more = {"expiresAt": expires.isoformat()} if expires else {}
        reply = caller.add(facts=facts, tags=tags, **more)
        distinct: dict[str, str] = {}
        for fact in facts:
            distinct.setdefault(fold(fact), fact)
        known = {fold(trace.now.content): trace.id for trace in model.alive(now)}
        new = {key: fact for key, fact in distinct.items() if key not in known}
        assert [one["content"] for one in reply["saved"]] == list(new.values())
        holders = {trace.id for trace in model.alive(now)}
        assert {one["id"] for one in reply["duplicates"]} <= holders | {one["id"] for one in reply["saved"]}
        assert len(reply["saved"]) + len(reply["duplicates"]) == len(facts)
        for one in reply["saved"]:
            born = key_of(caller.scope, one["content"])
            first = model.traces.get(born)
            if first is None or not Model.is_alive(first, now):
                assert one["id"] == born
            version = Version("added", one["content"], tags, expires=expires)
            trace = model.traces.setdefault(one["id"], Trace(one["id"]))
            assert not trace.versions or one["id"] == born
            trace.versions.append(version)

    @rule(who=users, pick=picks, content=st.none() | texts, tags=st.none() | tag_lists, stale=st.booleans())
    def update(self, who: int, pick: int, content: str | None, tags: list[str] | None, stale: bool) -> None:
        if content is None and tags is None:
            return
        caller, model, now = self.at(who)
        if (trace := self.pick(model, pick)) is None:
            return
        given = {name: value for name, value in (("content", content), ("tags", tags)) if value is not None}
        version = {"version": len(trace.versions) + 1} if stale else {}
        reply = outcome(lambda: caller.update(traceId=trace.id, **given, **version))
        wanted = (trace.now.content if content is None else content, trace.now.tags if tags is None else tags)
        if not Model.is_alive(trace, now):
            assert reply == "not_found"
        elif wanted == (trace.now.content, trace.now.tags):
            assert isinstance(reply, dict)
            assert reply["updated"] is False
        elif stale:
            assert reply == "conflict"
        else:
            assert isinstance(reply, dict)
            trace.push("updated", content=wanted[0], tags=wanted[1])
            assert reply["updated"] is True

    @rule(who=users, pick=picks)
    def delete(self, who: int, pick: int) -> None:
        caller, model, now = self.at(who)
        if (trace := self.pick(model, pick)) is None:
            return
        reply = outcome(lambda: caller.delete(traceId=trace.id))
        if not Model.is_alive(trace, now):
            assert reply == "not_found"
            return
        assert reply == {"deleted": True, "id": trace.id}
        trace.push("deleted", live=False, expires=None)

    @rule(who=users, pick=picks, back=st.none() | st.integers(0, 4))
    def restore(self, who: int, pick: int, back: int | None) -> None:
        caller, model, now = self.at(who)
        if (trace := self.pick(model, pick)) is None:
            return
        wanted = None if back is None else max(len(trace.versions) - back, 1)
        reply = outcome(lambda: caller.restore(traceId=trace.id, **({"version": wanted} if wanted else {})))
        kept = [
            number
            for number, version in reversed(list(enumerate(trace.versions, 1)))
            if version.live and (version.expires is None or version.expires > now)
        ]
        found = next((number for number in kept if wanted in (None, number)), None)
        if Model.expired(trace, now):
            assert reply == "not_found"
        elif trace.now.live and wanted in (None, len(trace.versions)):
            assert isinstance(reply, dict)
            assert reply["restored"] is False
        elif found is None:
            assert reply == "not_found"
        else:
            earlier = trace.versions[found - 1]
            same = trace.now.live and (earlier.content, earlier.tags) == (trace.now.content, trace.now.tags)
            useful = trace.is_outcome(found) and not trace.is_outcome(len(trace.versions))
            assert isinstance(reply, dict)
            assert reply["restored"] is not (same and not useful)
            if reply["restored"]:
                merge = trace.stand_for(found) if trace.is_outcome(found) else trace.now.merge
                trace.push(
                    "restored",
                    content=earlier.content,
                    tags=earlier.tags,
                    live=True,
                    expires=earlier.expires,
                    merged_into=None,
                    merge=merge,
                )

    @rule(who=users, chosen=st.lists(picks, min_size=2, max_size=4), content=st.none() | texts, odd=st.booleans())
    def merge(self, who: int, chosen: list[int], content: str | None, odd: bool) -> None:
        """Mostly of live traces, at times with one that is dead or was never there."""
        caller, model, now = self.at(who)
        alive = model.alive(now)
        named = list(dict.fromkeys(alive[number % len(alive)].id for number in chosen)) if alive else []
        named += [*model.traces, "mt_none"][: 2 if odd else 0]
        named = list(dict.fromkeys(named))
        if len(named) < 2:
            return
        call = (tuple(named), content)
        reply = outcome(lambda: caller.merge(traceIds=named, **({"mergedContent": content} if content else {})))
        there = [model.traces[name] for name in named if name in model.traces]
        live = [trace for trace in there if Model.is_alive(trace, now)]
        done = [one for one in live if one.is_outcome(len(one.versions)) and one.now.merge["call"] == call]  # type: ignore[index]
        if done:
            assert isinstance(reply, dict)
            assert reply["survivorId"] == done[0].id
            return
        if len(live) < 2:
            assert reply == "not_found"
            return
        survivor = max(live, key=lambda trace: trace.count)
        sources = [trace for trace in live if trace is not survivor]
        assert isinstance(reply, dict)
        assert reply["survivorId"] == survivor.id
        assert reply["deletedIds"] == [trace.id for trace in sources]
        assert reply["missingIds"] == [name for name in named if name not in [trace.id for trace in live]]
        joined = content or " | ".join(trace.now.content for trace in live)
        tags = list(dict.fromkeys(tag for trace in live for tag in trace.now.tags))
        record = {
            "sources": [trace.id for trace in sources],
            "replaced": len(survivor.versions),
            "outcome": len(survivor.versions) + 1,
            "call": call,
        }
        ends = [trace.now.expires for trace in live if trace.now.expires]
        last = max(ends) if len(ends) == len(live) else None
        survivor.push("merged", content=joined, tags=tags, merge=record, expires=last)
        survivor.count += sum(trace.count for trace in sources)
        for trace in sources:
            trace.push("merged_away", live=False, expires=None, merged_into=survivor.id)

    @rule(who=users, pick=picks)
    def unmerge(self, who: int, pick: int) -> None:
        caller, model, now = self.at(who)
        survivors = [trace for trace in model.alive(now) if trace.now.merge]
        trace = survivors[pick % len(survivors)] if survivors else self.pick(model, pick)
        if trace is None:
            return
        reply = outcome(lambda: caller.unmerge(survivorId=trace.id))
        number = len(trace.versions)
        if not Model.is_alive(trace, now):
            assert reply == "not_found"
        elif not trace.is_outcome(number):
            undone = number > 1 and trace.now.change == "unmerged" and trace.versions[-2].live
            if undone and trace.is_outcome(number - 1):
                assert isinstance(reply, dict)
            else:
                assert reply == ("conflict" if trace.now.merge else "not_found")
        else:
            merge = trace.now.merge
            assert merge is not None
            assert isinstance(reply, dict)
            sources = [model.traces[name] for name in merge["sources"]]
            away = [source for source in sources if source.now.merged_into == trace.id and not source.now.live]
            assert reply["restoredIds"] == [source.id for source in away]
            before = trace.versions[merge["replaced"] - 1]
            stands = trace.stand_for(merge["replaced"])
            trace.push("unmerged", content=before.content, tags=before.tags, merge=stands, expires=before.expires)
            trace.count = max(trace.count - sum(source.count for source in away), 0)
            for source in away:
                last = len(source.versions) - 1
                earlier = source.versions[last - 1]
                source.push(
                    "unmerged", live=True, merged_into=None, expires=earlier.expires, merge=source.stand_for(last)
                )

    @rule(who=users, depth=st.integers(1, 3), pick=picks)
    def merge_and_come_apart(self, who: int, depth: int, pick: int) -> None:
        """Merges of what merges left, then as many steps back, whoever survives."""
        for _ in range(depth):
            self.merge(who, [0, 1, pick], None, odd=False)
        for number in range(depth):
            self.unmerge(who, number)

    @rule(who=users, text=texts)
    def search(self, who: int, text: str) -> None:
        caller, model, now = self.at(who)
        for hit in caller.search(query=text, limit=100)["results"]:
            trace = model.traces[hit["id"]]
            assert Model.is_alive(trace, now)
            trace.count += 1
            assert (hit["content"], hit["version"], hit["retrievalCount"]) == (
                trace.now.content,
                len(trace.versions),
                trace.count,
            )

    @rule(who=users, pick=picks)
    def find(self, who: int, pick: int) -> None:
        """A live trace is found by its own text, a dead one never."""
        caller, model, now = self.at(who)
        if (trace := self.pick(model, pick)) is None:
            return
        hits = caller.search(query=trace.now.content, limit=100)["results"]
        assert (trace.id in [hit["id"] for hit in hits]) == Model.is_alive(trace, now)
        for hit in hits:
            model.traces[hit["id"]].count += 1

    @rule(who=users, pick=picks)
    def history(self, who: int, pick: int) -> None:
        caller, model, now = self.at(who)
        if (trace := self.pick(model, pick)) is None:
            return
        reply = outcome(lambda: caller.history(traceId=trace.id, limit=100))
        if Model.expired(trace, now):
            assert reply == "not_found"
            return
        assert isinstance(reply, dict)
        told = [(one["version"], one["change"], one["content"], one["tags"]) for one in reply["versions"]]
        kept = [(number, one.change, one.content, one.tags) for number, one in enumerate(trace.versions, 1)]
        assert told == kept[::-1]

    @rule(who=users, pick=picks)
    def cross(self, who: int, pick: int) -> None:
        """Another scope's id leads nowhere."""
        _, model, _ = self.at(who)
        other = self.callers[1 - who]
        if (trace := self.pick(model, pick)) is None:
            return
        for call in (other.delete, other.history, other.restore):
            with pytest.raises(NotFound):
                call(traceId=trace.id)

    @rule(who=users)
    def start_anew(self, who: int) -> None:
        """Another process answers from here on: it knows what the table and the segment hold."""
        caller = self.callers[who]
        self.callers[who] = Caller(replace(caller.memory), caller.scope)

    @rule(minutes=st.integers(1, 60))
    def wait(self, minutes: int) -> None:
        self.clock.advance(timedelta(minutes=minutes))

    @invariant()
    def lists_agree(self) -> None:
        for who, model in enumerate(getattr(self, "models", [])):
            caller, _, now = self.at(who)
            told = {one["id"]: one for one in caller.list(limit=100)["results"]}
            assert set(told) == {trace.id for trace in model.alive(now)}
            for trace in model.alive(now):
                one = told[trace.id]
                assert (one["content"], one["tags"], one["version"], one["retrievalCount"]) == (
                    trace.now.content,
                    trace.now.tags,
                    len(trace.versions),
                    trace.count,
                )


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are written from a few traces on."""
    monkeypatch.setattr(freshness, "FEW", 3)


def check(made: Callable[[], tuple[Backend, FakeClock]], examples: int, steps: int) -> None:
    class OneLife(Life):
        make = staticmethod(made)

    run(
        OneLife,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
        ),
    )


def test_traces_live_as_the_model_says_on_the_fakes(new_fake_memory: Callable[[], tuple[Backend, FakeClock]]) -> None:
    check(new_fake_memory, examples=80, steps=60)


def test_traces_live_as_the_model_says_on_moto(moto_memory: Backend, clock: FakeClock) -> None:
    check(lambda: (moto_memory, clock), examples=6, steps=30)
