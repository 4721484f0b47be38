"""A search knows what was written before it began, whatever the clocks, the segments and the searchers before it."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from hypothesis.stateful import run_state_machine_as_test as run
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.domain.trace import Embedding, Trace, key_of
from memtools.embedding.none import NoEmbedder
from memtools.errors import Fault, ToolError, Unavailable
from memtools.freshness import backfill
from memtools.freshness import indexes as freshness
from memtools.freshness.segment import Segment, intact
from memtools.ports import SegmentStore, StoredSegment, TraceStore
from memtools.ranking.index import Index

from tests.calls import Caller
from tests.examples import share
from tests.fakes import START, FakeClock, FakeEmbedder, FakeSegments
from tests.memories import lose_segment, over_fakes

SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
FACTS = ["likes green tea", "has two cats", "lives in Lisbon", "plays the cello", "fears heights", "bakes bread"]


class Off:
    """A clock that is off by a while, always the same."""

    def __init__(self, clock: FakeClock, by: timedelta) -> None:
        self._clock = clock
        self._by = by

    def now(self) -> datetime:
        return self._clock.now() + self._by


class Watched:
    """A TraceStore whose changes are counted as they are taken, and which is out after ``last`` more of them."""

    def __init__(self, traces: TraceStore) -> None:
        self.traces = traces
        self.taken = 0
        self.last: int | None = None
        self.out: set[str] = set()
        self.called: list[str] = []
        self.asked: list[list[str]] = []

    def changes(self, scope: Scope, since: datetime | None) -> Iterator[Trace]:
        for number, trace in enumerate(self.traces.changes(scope, since)):
            if number == self.last:
                raise Unavailable("out")
            self.taken += 1
            yield trace

    def __getattr__(self, name: str) -> Any:
        def call(scope: Scope, *arguments: Any) -> Any:
            self.called.append(name)
            if name in self.out:
                raise Unavailable("out")
            if name in ("get", "retrieve"):
                self.asked.append(list(arguments[0]))
            return getattr(self.traces, name)(scope, *arguments)

        return call


class Kept:
    """A SegmentStore that tells how many rows it was given, lets something happen before a save, and can be out."""

    def __init__(self, segments: SegmentStore, model: str = "fake") -> None:
        self._segments = segments
        self._model = model
        self.rows: list[int] = []
        self.loads = 0
        self.before_save: Callable[[], Any] | None = None
        self.out: set[str] = set()
        self.failure: ToolError = Unavailable("out")

    def load(self, scope: Scope) -> StoredSegment | None:
        self.loads += 1
        if "load" in self.out:
            raise self.failure
        return self._segments.load(scope)

    def save(self, scope: Scope, data: bytes, replaces: str | None) -> str:
        happens, self.before_save = self.before_save, None
        if happens:
            happens()
        if "save" in self.out:
            raise self.failure
        tag = self._segments.save(scope, data, replaces)
        self.rows.append(rows_in(data, self._model))
        return tag


def rows_in(data: bytes, model: str) -> int:
    return len(Segment.of_bytes(data, model).columns)


def index_of(memory: Backend, scope: Scope) -> Index:
    """The index as a call leaves it to the next one; as it had it, where it lost the race for the segment."""
    with memory.indexes.fresh(scope) as index:
        pass
    known = memory.indexes.cached(scope)
    return known.index if known else index


def another(memory: Backend, **changes: Any) -> Backend:
    """The same memory in a process just started."""
    return replace(memory, **changes)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are written from a few changes on, so that a test needs few traces."""
    monkeypatch.setattr(freshness, "FEW", 4)


@pytest.fixture
def watched(fake_memory: Backend) -> Watched:
    return Watched(fake_memory.traces)


@pytest.fixture
def kept(fake_memory: Backend) -> Kept:
    return Kept(fake_memory.segments)


@pytest.fixture
def tried(fake_memory: Backend, watched: Watched, kept: Kept) -> Backend:
    """A memory over watched fakes."""
    return replace(fake_memory, traces=watched, segments=kept)


# ---------------------------------------------------------------- stories of many writers and many searchers


def word_of(number: int) -> str:
    """A word like no other: not by a slip, not by its stem."""
    digits = blake2b(b"%d" % number, digest_size=6).hexdigest()
    return digits.translate(str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv"))


writers = st.integers(0, 2)
searchers = st.integers(0, 3)
picks = st.integers(0, 30)
offsets = st.integers(-30, 30)
lifetimes = st.sampled_from([None, None, timedelta(minutes=5), timedelta(hours=2), timedelta(days=5)])
# Whether clocks differ or not, a trace that expires within this time from now may be seen or not.
BLUR = timedelta(minutes=2)


class Story(RuleBasedStateMachine):
    """Whatever is written, the next search by anybody finds what the table holds, and nothing else."""

    scope = Scope("story", "ana")

    @initialize(writing=st.lists(offsets, min_size=3, max_size=3), searching=st.lists(offsets, min_size=4, max_size=4))
    def start(self, writing: list[int], searching: list[int]) -> None:
        self.time = FakeClock()
        self.memory = over_fakes(self.time)
        self.writers = [self.process(seconds) for seconds in writing]
        self.searchers = [self.process(seconds) for seconds in searching]
        self.contents: list[str] = []

    def process(self, seconds: int) -> Caller:
        return Caller(another(self.memory, now=Off(self.time, seconds * SECOND).now), self.scope)

    def new(self) -> str:
        self.contents.append(f"{word_of(len(self.contents))} noted")
        return self.contents[-1]

    def table(self) -> dict[str, Trace]:
        return {trace.id: trace for trace in self.memory.traces.changes(self.scope, None)}

    def pick(self, number: int, *, live: bool) -> Trace | None:
        """One of the traces, those changed last first."""
        there = [trace for trace in self.table().values() if trace.live is live][::-1]
        return there[number % len(there)] if there else None

    # -------------------------------------------------------- what is written

    @rule(who=writers, first=searchers, count=st.integers(1, 6), lifetime=lifetimes)
    def add(self, who: int, first: int, count: int, lifetime: timedelta | None) -> None:
        facts = [self.new() for _ in range(count)]
        self.remember(who, facts, lifetime)
        self.searched(first, [facts[0], facts[-1]])

    @rule(who=writers, first=searchers, pick=picks, lifetime=lifetimes)
    def add_again(self, who: int, first: int, pick: int, lifetime: timedelta | None) -> None:
        """What was said before, and may be known, dead, expired or purged by now."""
        if self.contents:
            fact = self.contents[-1 - pick % len(self.contents)]
            self.remember(who, [fact], lifetime)
            self.searched(first, [fact])

    def remember(self, who: int, facts: list[str], lifetime: timedelta | None) -> None:
        writer = self.writers[who]
        end = {"expiresAt": (writer.memory.now() + lifetime).isoformat()} if lifetime else {}
        writer.add(facts=facts, **end)

    @rule(who=writers, first=searchers, pick=picks)
    def update(self, who: int, first: int, pick: int) -> None:
        if trace := self.pick(pick, live=True):
            self.write(lambda: self.writers[who].update(traceId=trace.id, content=self.new()))
            self.searched(first, [trace.content, self.contents[-1]])

    @rule(who=writers, first=searchers, pick=picks)
    def delete(self, who: int, first: int, pick: int) -> None:
        if trace := self.pick(pick, live=True):
            self.write(lambda: self.writers[who].delete(traceId=trace.id))
            self.searched(first, [trace.content])

    @rule(who=writers, first=searchers, pick=picks, live=st.booleans())
    def restore(self, who: int, first: int, pick: int, live: bool) -> None:
        if trace := self.pick(pick, live=live):
            version = {"version": trace.version - 1} if live and trace.version > 1 else {}
            self.write(lambda: self.writers[who].restore(traceId=trace.id, **version))
            self.searched(first, [trace.content, self.table()[trace.id].content])

    @rule(who=writers, first=searchers, pick=picks, count=st.integers(2, 4))
    def merge(self, who: int, first: int, pick: int, count: int) -> None:
        chosen = {one.id: one for number in range(count) if (one := self.pick(pick + number, live=True))}
        if len(chosen) > 1:
            self.write(lambda: self.writers[who].merge(traceIds=list(chosen), mergedContent=self.new()))
            self.searched(first, [self.contents[-1], *(trace.content for trace in chosen.values())])

    @rule(who=writers, first=searchers, pick=picks)
    def unmerge(self, who: int, first: int, pick: int) -> None:
        survivors = [trace for trace in self.table().values() if trace.live and trace.merge]
        if survivors:
            trace = survivors[pick % len(survivors)]
            self.write(lambda: self.writers[who].unmerge(survivorId=trace.id))
            sources = trace.merge.sources if trace.merge else ()
            self.searched(
                first, [trace.content, *(self.table()[one].content for one in sources if one in self.table())]
            )

    @staticmethod
    def write(call: Callable[[], Any]) -> None:
        """Refused where clocks differ about what has expired, or what is kept: then nothing is written."""
        with suppress(ToolError):
            call()

    # -------------------------------------------------------- what happens besides

    @rule(time=st.one_of(st.integers(1, 240), st.sampled_from([600, 7200, 86_400, 5 * 86_400, 31 * 86_400])))
    def wait(self, time: int) -> None:
        self.time.advance(time * SECOND)

    @rule()
    def purge(self) -> None:
        self.memory.traces.purge(self.time.now())  # type: ignore[attr-defined]

    @rule(who=searchers, seconds=offsets)
    def start_anew(self, who: int, seconds: int) -> None:
        self.searchers[who] = self.process(seconds)

    @rule(kind=st.sampled_from(["lost", "half", "garbage"]))
    def damage(self, kind: str) -> None:
        if stored := self.memory.segments.load(self.scope):
            if kind == "lost":
                lose_segment(self.memory, self.scope)
            else:
                data = stored.data[: len(stored.data) // 2] if kind == "half" else b"garbage"
                self.memory.segments.save(self.scope, data, stored.tag)

    # -------------------------------------------------------- what is found

    def surely_alive(self) -> list[Trace]:
        return [trace for trace in self.table().values() if trace.alive(self.time.now() + BLUR)]

    def searched(self, who: int, contents: Iterable[str]) -> None:
        for content in contents:
            word = content.split()[0]
            now = self.searchers[who].memory.now()
            hits = self.searchers[who].search(query=word, limit=100)["results"]
            self.compare(hits, now)
            missed = {trace.id for trace in self.surely_alive() if word in trace.content} - {one["id"] for one in hits}
            assert not missed, word

    @rule(who=searchers)
    def listed(self, who: int) -> None:
        now = self.searchers[who].memory.now()
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self.searchers[who].list(limit=100, **cursor)
            found += page["results"]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        self.compare(found, now)
        assert {trace.id for trace in self.surely_alive()} <= {one["id"] for one in found}

    @rule(who=searchers, pick=picks)
    def found(self, who: int, pick: int) -> None:
        """Something said at some time: found as it stands now, or not at all."""
        if self.contents:
            self.searched(who, [self.contents[pick % len(self.contents)]])

    def compare(self, found: list[dict[str, Any]], now: datetime) -> None:
        """All that was found stands in the table like that, alive as this searcher sees it."""
        table = self.table()
        for one in found:
            trace = table[one["id"]]
            assert trace.alive(now), one
            assert (one["content"], one["version"]) == (trace.content, trace.version)


@pytest.mark.usefixtures("few")
def test_a_search_sees_every_earlier_write_of_any_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks differ by up to a minute, segments come, go and break, tombstones are purged, and processes start anew."""
    monkeypatch.setattr(freshness, "_BATCH", 3)
    run(
        Story,
        settings=settings(
            share(60),
            stateful_step_count=60,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
        ),
    )


@pytest.mark.usefixtures("few")
def test_a_purged_tombstone_is_not_read_from_the_table(
    tried: Backend, watched: Watched, clock: FakeClock, scope: Scope
) -> None:
    """The tombstones that would tell are gone; a segment and an index in memory are from before."""
    ana = Caller(tried, scope)
    ids = ana.remember(*(f"tea {word_of(number)}" for number in range(8)))
    assert len(ana.contents("tea", limit=100)) == 8
    assert tried.segments.load(scope) is not None
    for trace in ids[1:]:
        ana.delete(traceId=trace)
    clock.advance(tried.retention + MINUTE)
    watched.traces.purge(clock.now())  # type: ignore[attr-defined]
    for memory in (tried, another(tried)):
        watched.asked.clear()
        assert Caller(memory, scope).contents("tea", limit=100) == [f"tea {word_of(0)}"]
        assert watched.asked == [ids[:1]]
        assert "nextCursor" not in Caller(memory, scope).list(limit=1)


@pytest.mark.usefixtures("few")
def test_a_fact_added_again_after_its_purge_is_found(fake_memory: Backend, clock: FakeClock, scope: Scope) -> None:
    """The table knows nothing of the first life, so the second begins at version 1 too, under the same id."""
    ana = Caller(fake_memory, scope)
    end = (clock.now() + 5 * MINUTE).isoformat()
    ana.add(facts=FACTS, expiresAt=end, tags=["old"])
    assert ana.contents("tea") == [FACTS[0]]
    assert fake_memory.segments.load(scope) is not None
    clock.advance(10 * MINUTE)
    fake_memory.traces.purge(clock.now())  # type: ignore[attr-defined]
    ana.add(facts=FACTS[:2], tags=["new"])
    for caller in (ana, Caller(another(fake_memory), scope)):
        assert caller.contents("tea") == [FACTS[0]]
        assert caller.contents("tea", tags=["new"]) == [FACTS[0]]
        assert caller.contents("tea", tags=["old"]) == []
        assert caller.all() == FACTS[1::-1]


# ---------------------------------------------------------------- segments that are of no use


class Foreign:
    """Another model, which gives other vectors for the same texts."""

    model = "another model"

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [Embedding(self.model, bytes([1, len(text) % 100 + 1, 7])) for text in texts]


def stored_of(memory: Backend, scope: Scope) -> StoredSegment:
    stored = memory.segments.load(scope)
    assert stored is not None
    return stored


def assert_whole(memory: Backend, scope: Scope) -> None:
    """A segment of the memory's model with all facts stands there."""
    data = stored_of(memory, scope).data
    assert intact(data)
    assert len(Segment.of_bytes(data, memory.embedder.model).columns) == len(FACTS)


@pytest.mark.parametrize("damage", [None, lambda data: data[:-1], lambda _: b"<Error/>"], ids=["lost", "cut", "other"])
@pytest.mark.usefixtures("few")
def test_a_segment_that_is_of_no_use_is_made_anew_and_replaced(
    memory: Backend, scope: Scope, damage: Callable[[bytes], bytes] | None
) -> None:
    first = Caller(memory, scope)
    first.remember(*FACTS)
    first.search(query="tea")
    assert_whole(memory, scope)
    if damage is None:
        lose_segment(memory, scope)
    else:
        stored = stored_of(memory, scope)
        memory.segments.save(scope, damage(stored.data), stored.tag)
    for _ in range(2):
        cold = Caller(another(memory), scope)
        assert cold.contents("cats") == ["has two cats"]
        assert set(cold.all()) == set(FACTS)
        assert_whole(memory, scope)


@pytest.mark.usefixtures("few")
def test_a_segment_of_another_model_is_made_anew_and_replaced(memory: Backend, scope: Scope) -> None:
    foreign = Caller(another(memory, embedder=Foreign()), scope)
    foreign.remember(*FACTS)
    assert foreign.contents("cats")[0] == "has two cats"
    assert_whole(foreign.memory, scope)
    cold = Caller(another(memory), scope)
    assert cold.contents("cats") == ["has two cats"]
    assert_whole(memory, scope)
    assert b'"model": "fake"' in stored_of(memory, scope).data
    index = index_of(another(memory), scope)
    assert len(index.unembedded) == 0
    assert index.base.vectors.shape == (len(FACTS), FakeEmbedder.dimensions)


def test_a_small_scope_with_a_damaged_segment_is_read_from_the_table(memory: Backend, scope: Scope) -> None:
    memory.segments.save(scope, b"garbage", None)
    ana = Caller(memory, scope)
    ana.remember(*FACTS)
    for caller in (ana, Caller(another(memory), scope)):
        assert caller.contents("cats") == ["has two cats"]


@pytest.mark.usefixtures("few")
def test_a_lost_segment_is_written_again_when_it_is_due(memory: Backend, scope: Scope) -> None:
    """A segment that is lost while warm processes have their index is written again later."""
    ana = Caller(memory, scope)
    ana.remember(*FACTS)
    ana.search(query="tea")
    lose_segment(memory, scope)
    ana.remember(*(word_of(number) for number in range(5)))
    assert ana.contents(word_of(4))[0] == word_of(4)  # meets that its segment is gone
    assert ana.contents(word_of(3))[0] == word_of(3)
    assert len(Segment.of_bytes(stored_of(memory, scope).data, memory.embedder.model).columns) == len(FACTS) + 5


@pytest.mark.usefixtures("few")
def test_a_segment_from_the_future_hides_nothing(tried: Backend, clock: FakeClock, scope: Scope) -> None:
    """It says that it has all changes of the next hour, and lacks most of those before."""
    ana = Caller(tried, scope)
    ana.remember(*FACTS[:2])
    columns = index_of(another(tried), scope).compacted(clock.now()).base
    tried.segments.save(scope, Segment(columns, clock.now() + timedelta(hours=1)).to_bytes(), None)
    ana.remember(*FACTS[2:])
    clock.advance(10 * MINUTE)
    assert set(Caller(another(tried), scope).all()) == set(FACTS)
    assert Caller(another(tried), scope).contents("cello") == ["plays the cello"]


# ---------------------------------------------------------------- races and outages


@pytest.fixture
def ten_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "_BATCH", 10)


@pytest.mark.usefixtures("few")
def test_two_searches_that_write_a_segment_at_once_both_answer(tried: Backend, kept: Kept, scope: Scope) -> None:
    """Of two segments written at the same time one stays, and both searches answer."""
    ana, rival = Caller(tried, scope), Caller(another(tried), scope)
    for texts in (FACTS, [word_of(number) for number in range(6)]):  # the first segment, then one that replaces it
        ana.remember(*texts)
        found: list[list[str]] = []
        kept.before_save = lambda text=texts[0], into=found: into.append(rival.contents(text))
        writes = len(kept.rows)
        assert ana.contents(texts[1])[0] == texts[1]
        assert [one[0] for one in found] == [texts[0]]
        assert len(kept.rows) == writes + 1
        loads = kept.loads
        assert ana.contents(texts[2])[0] == texts[2]  # the loser reads the segment that won, once
        assert ana.contents(texts[3])[0] == texts[3]
        assert (kept.loads, len(kept.rows)) == (loads + 1, writes + 1)
    for caller in (ana, rival, Caller(another(tried), scope)):
        assert len(caller.all()) == 12


@pytest.mark.usefixtures("few")
def test_the_loser_of_a_segment_race_can_write_the_next_one(tried: Backend, kept: Kept, scope: Scope) -> None:
    ana, rival = Caller(tried, scope), Caller(another(tried), scope)
    ana.remember(*FACTS)
    kept.before_save = lambda: rival.search(query="tea")
    ana.search(query="tea")
    ana.remember(*(word_of(number) for number in range(6)))
    assert ana.contents(word_of(5))[0] == word_of(5)
    assert kept.rows == [6, 12]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("failure", [Unavailable("out"), Fault("refused")], ids=["for a while", "for good"])
def test_a_search_answers_while_segments_cannot_be_saved_and_saves_one_later(
    tried: Backend, kept: Kept, scope: Scope, failure: ToolError
) -> None:
    ana = Caller(tried, scope)
    kept.out, kept.failure = {"save"}, failure
    ana.remember(*FACTS)
    assert ana.contents("cats") == ["has two cats"]
    assert ana.contents("cello") == ["plays the cello"]
    assert len(ana.all()) == 6
    kept.out = set()
    ana.remember(*(word_of(number) for number in range(5)))
    assert ana.contents(word_of(4))[0] == word_of(4)
    assert kept.rows == [11]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("tool", ["search", "list", "duplicates"])
def test_the_reply_is_ready_before_a_segment_is_written(
    tried: Backend, kept: Kept, watched: Watched, scope: Scope, tool: str
) -> None:
    """A segment that cannot be written does not lose the reply."""
    ana = Caller(tried, scope)
    ana.remember(*FACTS, "likes black tea")
    read = {"search": "retrieve"}.get(tool, "get")
    watched.called.clear()
    called: list[str] = []
    kept.before_save = lambda: called.extend(watched.called)
    getattr(ana, tool)(**({"query": "tea"} if tool == "search" else {}))
    assert called[-1] == read


@pytest.mark.usefixtures("few")
def test_a_save_whose_response_was_lost_does_not_break_the_next(
    tried: Backend, fake_memory: Backend, kept: Kept, scope: Scope
) -> None:
    """It was saved, though reported as an outage: the next save finds a tag that it does not expect."""
    ana = Caller(tried, scope)
    ana.remember(*FACTS)
    kept.before_save = lambda: fake_memory.segments.save(
        scope, Segment(index_of(another(fake_memory, segments=FakeSegments()), scope).base, START).to_bytes(), None
    )
    kept.out = {"save"}
    assert ana.contents("cats") == ["has two cats"]
    kept.out = set()
    ana.remember(*(word_of(number) for number in range(5)))
    assert ana.contents(word_of(4))[0] == word_of(4)
    assert ana.contents(word_of(3))[0] == word_of(3)
    assert kept.rows == [11]


@pytest.mark.usefixtures("few")
def test_an_outage_of_segments_fails_only_cold_searches(tried: Backend, kept: Kept, scope: Scope) -> None:
    ana = Caller(tried, scope)
    ana.remember(*FACTS)
    kept.out = {"load"}
    for call in (lambda: ana.search(query="cats"), ana.list):
        with pytest.raises(Unavailable):
            call()
    kept.out = set()
    assert ana.contents("cats") == ["has two cats"]
    kept.out = {"load"}
    assert ana.contents("cello") == ["plays the cello"]


@pytest.mark.usefixtures("ten_at_once")
@pytest.mark.parametrize("age", [timedelta(0), 40 * DAY], ids=["young", "older than the retention"])
def test_reading_changes_continues_after_a_failure_half_way(
    tried: Backend, watched: Watched, clock: FakeClock, scope: Scope, age: timedelta
) -> None:
    """A scope too large to be read in one call is read in several."""
    ana = Caller(tried, scope)
    for number in range(60):
        ana.remember(f"{word_of(number)} noted")
        clock.advance(MINUTE)
    clock.advance(age)
    watched.last = 25
    with pytest.raises(Unavailable):
        ana.search(query=word_of(59))
    with pytest.raises(Unavailable):
        ana.list()
    assert watched.taken == 2 * 25
    watched.taken, watched.last = 0, None
    assert ana.contents(word_of(59))[0] == f"{word_of(59)} noted"
    # Twenty were kept, then twenty more, but for the three minutes before each call that are read twice.
    assert watched.taken <= 60 - 2 * 20 + 2 * 4
    assert len(ana.all()) == 60


@pytest.mark.usefixtures("ten_at_once")
def test_changes_during_an_interrupted_read_are_not_missed(
    tried: Backend, watched: Watched, clock: FakeClock, scope: Scope
) -> None:
    ana = Caller(tried, scope)
    writer = Caller(another(tried, now=Off(clock, -MINUTE).now), scope)
    ids = []
    for number in range(20):
        ids += ana.remember(f"{word_of(number)} noted")
        clock.advance(MINUTE)
    watched.last = 12
    with pytest.raises(Unavailable):
        ana.list()
    watched.last = None
    writer.delete(traceId=ids[0])  # read already
    writer.update(traceId=ids[1], content=f"{word_of(50)} noted")
    writer.delete(traceId=ids[15])  # not read yet
    writer.remember(f"{word_of(51)} noted")
    assert set(ana.all()) == {f"{word_of(number)} noted" for number in [50, *range(2, 15), *range(16, 20), 51]}


@pytest.mark.usefixtures("ten_at_once")
def test_a_change_from_the_future_in_an_interrupted_read_hides_no_later_one(
    tried: Backend, watched: Watched, clock: FakeClock, scope: Scope
) -> None:
    """Reading continues from now, not from the writer's time."""
    ana = Caller(tried, scope)
    ana.remember(*(f"{word_of(number)} noted" for number in range(9)))
    early = Caller(another(tried, now=Off(clock, timedelta(hours=1)).now), scope)
    early.remember(*(f"{word_of(number)} noted" for number in range(9, 12)))
    watched.last = 11
    with pytest.raises(Unavailable):
        ana.list()
    watched.last = None
    ana.remember(f"{word_of(12)} noted")
    assert set(ana.all()) == {f"{word_of(number)} noted" for number in range(13)}


# ---------------------------------------------------------------- what segments cost


class Log:
    """A TraceStore that only grows, and only tells its changes: quick enough for thousands of traces."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._traces: list[Trace] = []

    def grow(self, now: datetime, count: int) -> None:
        for place in range(count):
            content = f"note {len(self._traces)}"
            moment = now + timedelta(microseconds=place)
            self._traces.append(
                Trace(id=key_of(self._scope, content), content=content, created_at=moment, changed_at=moment)
            )

    def changes(self, scope: Scope, since: datetime | None) -> Iterator[Trace]:
        start = bisect_left(self._traces, since, key=lambda trace: trace.changed_at) if since else 0
        return islice(self._traces, start, None)


@pytest.mark.parametrize(
    ("few", "share", "size", "batch"),
    [
        (freshness.FEW, freshness.SHARE, 3000, 1),
        (freshness.FEW, freshness.SHARE, 12_000, 100),
        (4, 4, 500, 1),
        (16, 8, 1000, 7),
        (1, 2, 200, 1),
    ],
)
@pytest.mark.long
def test_segment_writes_and_cold_reads_stay_bounded_in_a_growing_scope(
    *,
    fake_memory: Backend,
    clock: FakeClock,
    scope: Scope,
    monkeypatch: pytest.MonkeyPatch,
    few: int,
    share: int,
    size: int,
    batch: int,
) -> None:
    """Searched after each batch; batches are further apart than the time that is read again."""
    monkeypatch.setattr(freshness, "FEW", few)
    monkeypatch.setattr(freshness, "SHARE", share)
    log, kept = Log(scope), Kept(fake_memory.segments, model="")
    watched = Watched(log)  # type: ignore[arg-type]
    memory = replace(fake_memory, traces=watched, segments=kept, embedder=NoEmbedder())
    for _ in range(size // batch):
        log.grow(clock.now(), batch)
        assert len(index_of(memory, scope)) == len(log._traces)
        clock.advance(4 * MINUTE)
        if len(log._traces) % (20 * batch) == 0:
            watched.taken = 0
            assert len(index_of(another(memory), scope)) == len(log._traces)
            # Beside the segment, those that were written just before it: they are read again.
            assert watched.taken <= max(few, len(log._traces) / share) + batch
    assert kept.rows
    assert sum(kept.rows) <= (share + 1) * len(log._traces) + few


def test_cold_searches_do_not_read_an_old_bulk_load_again(fake_memory: Backend, clock: FakeClock, scope: Scope) -> None:
    """The segment is as old as the load, so the load is read again beside it: once, when it is old enough."""
    log, kept = Log(scope), Kept(fake_memory.segments, model="")
    watched = Watched(log)  # type: ignore[arg-type]
    memory = replace(fake_memory, traces=watched, segments=kept, embedder=NoEmbedder())

    def cold_reads() -> int:
        watched.taken = 0
        assert len(index_of(another(memory), scope)) == len(log._traces)
        return watched.taken

    log.grow(clock.now(), 2000)
    assert [cold_reads() for _ in range(3)] == [2000, 2000, 2000]
    assert kept.rows == [2000]
    clock.advance(freshness.OVERLAP + SECOND)
    assert [cold_reads() for _ in range(3)] == [2000, 0, 0]
    clock.advance(DAY)
    assert cold_reads() == 0
    assert kept.rows == [2000, 2000]


def test_a_scope_of_few_traces_has_no_segment(fake_memory: Backend, clock: FakeClock, scope: Scope) -> None:
    log, kept = Log(scope), Kept(fake_memory.segments, model="")
    memory = replace(fake_memory, traces=log, segments=kept, embedder=NoEmbedder())  # type: ignore[arg-type]
    for _ in range(freshness.FEW):
        log.grow(clock.now(), 1)
        index_of(memory, scope)
    clock.advance(DAY)
    assert len(index_of(another(memory), scope)) == freshness.FEW
    assert kept.rows == []


# ---------------------------------------------------------------- vectors that are missing


class Thesaurus:
    """A model that knows which words mean the same. It takes its time, and is out at times."""

    model = "fake"
    senses = (("cat", "feline"), ("sofa", "couch"), ("doctor", "physician"))

    def __init__(self, clock: FakeClock, takes: timedelta = timedelta(0)) -> None:
        self._clock = clock
        self._takes = takes
        self.out = False
        self.refused = ""
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> list[Embedding | None]:
        self.asked.append(list(texts))
        self._clock.advance(len(texts) * self._takes)
        if self.out or self.refused in texts:
            return [None] * len(texts)
        return [Embedding(self.model, self._one(text)) for text in texts]

    def _one(self, text: str) -> bytes:
        known = [any(word in text for word in sense) for sense in self.senses]
        return bytes([100 * one for one in known] + [3, sum(text.encode()) % 7])


@pytest.fixture
def model(clock: FakeClock) -> Thesaurus:
    return Thesaurus(clock)


@pytest.fixture
def filled_later(tried: Backend, model: Thesaurus) -> Backend:
    """A memory with that model."""
    return replace(tried, embedder=model)


PAUSE = MINUTE + SECOND


def untaught(memory: Backend) -> Caller:
    """Somebody in the same memory while the model is out: what is stored has no vector."""
    return Caller(another(memory, embedder=NoEmbedder()), Scope("vectors", "ana"))


def vectors(memory: Backend, caller: Caller) -> int:
    """How many traces have a vector in the index that the memory has right now."""
    known = memory.indexes.cached(caller.scope)
    assert known is not None
    return int(known.index.embedded.sum())


def test_traces_stored_without_a_model_get_vectors_when_it_is_back(filled_later: Backend) -> None:
    ana = untaught(filled_later)
    ana.remember("has a cat", "bought a sofa", "sees the doctor")
    assert ana.contents("couch") == []
    healed = Caller(filled_later, ana.scope)
    assert healed.contents("couch")[0] == "bought a sofa"
    assert healed.contents("feline")[0] == "has a cat"
    assert "note" not in healed.search(query="physician")


def test_traces_of_another_model_are_embedded_again(filled_later: Backend) -> None:
    foreign = Caller(another(filled_later, embedder=Foreign()), Scope("vectors", "ana"))
    foreign.remember("has a cat", "bought a sofa")
    assert Caller(filled_later, foreign.scope).contents("couch")[0] == "bought a sofa"


def test_vectors_filled_in_are_saved_in_the_segment(filled_later: Backend, model: Thesaurus, clock: FakeClock) -> None:
    ana = untaught(filled_later)
    ana.remember("has a cat", "bought a sofa")
    Caller(filled_later, ana.scope).search(query="couch")
    clock.advance(PAUSE)
    model.asked.clear()
    cold = Caller(another(filled_later), ana.scope)
    assert cold.contents("couch")[0] == "bought a sofa"
    assert cold.contents("feline")[0] == "has a cat"
    assert model.asked == [["couch"], ["feline"]]


def test_filling_writes_nothing_to_the_table(filled_later: Backend, watched: Watched) -> None:
    ana = untaught(filled_later)
    (trace,) = ana.remember("bought a sofa")
    watched.called.clear()
    healed = Caller(filled_later, ana.scope)
    assert healed.contents("couch") == ["bought a sofa"]
    assert watched.called == ["get", "retrieve"]
    stored = filled_later.traces.get(ana.scope, [trace])[trace]
    assert (stored.embedding, stored.version) == (None, 1)
    watched.called.clear()
    healed.list()
    assert watched.called == ["get"]  # the page


@pytest.mark.parametrize("anew", [False, True], ids=["the same process", "another process"])
def test_a_back_fill_stops_in_time_and_continues_later(filled_later: Backend, clock: FakeClock, anew: bool) -> None:
    """From what is in memory, or from the segment that the process before has written."""
    ana = untaught(filled_later)
    ana.remember(*(f"{word_of(number)} noted" for number in range(100)))
    slow = replace(filled_later, embedder=Thesaurus(clock, takes=timedelta(milliseconds=50)))
    have = 0
    for _ in range(3):
        slow = another(slow) if anew else slow
        before = clock.now()
        Caller(slow, ana.scope).list()
        # Two seconds, and at most one more batch of sixteen.
        assert clock.now() - before < timedelta(seconds=2 + 0.05 * 16 + 0.2)
        filled = vectors(slow, ana) - have
        have += filled
        assert filled >= min(40, 100 - have)
        clock.advance(PAUSE)
    assert have == 100


def test_a_text_that_the_model_refuses_does_not_block_others(
    filled_later: Backend, model: Thesaurus, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "_TEXTS", 4)
    model.refused = "poison"
    ana = untaught(filled_later)
    ana.remember(*(f"{word_of(number)} noted" for number in range(6)), "poison")
    ana.remember(*(f"{word_of(number)} noted" for number in range(6, 13)))
    for _ in range(3):  # four at once, then one by one up to it, then past it
        Caller(filled_later, ana.scope).list()
        clock.advance(PAUSE)
    assert vectors(filled_later, ana) == 13
    model.refused = ""
    Caller(filled_later, ana.scope).list()
    assert vectors(filled_later, ana) == 14


def test_a_failed_model_is_tried_once_a_minute(filled_later: Backend, model: Thesaurus, clock: FakeClock) -> None:
    ana = untaught(filled_later)
    ana.remember(*(f"{word_of(number)} noted" for number in range(40)))
    model.out = True
    sick = Caller(filled_later, ana.scope)
    minutes = 5
    for _ in range(minutes * 12):
        sick.list()
        clock.advance(5 * SECOND)
    assert minutes <= len(model.asked) <= minutes + 1
    model.out = False
    clock.advance(PAUSE)
    sick.list()
    assert vectors(filled_later, ana) == 40


def test_filling_never_fails_a_search(filled_later: Backend, watched: Watched, clock: FakeClock) -> None:
    ana = untaught(filled_later)
    ana.remember("has a cat", "bought a sofa")
    watched.out = {"get"}
    healed = Caller(filled_later, ana.scope)
    assert healed.contents("sofa")[0] == "bought a sofa"
    watched.out = set()
    clock.advance(PAUSE)
    assert healed.contents("couch")[0] == "bought a sofa"


def test_a_filled_in_vector_belongs_to_the_indexed_version(
    filled_later: Backend, watched: Watched, clock: FakeClock
) -> None:
    """Changed between the read of the changes and that of the text: left for the next time."""
    ana = untaught(filled_later)
    (trace, gone) = ana.remember("bought a sofa", "sold a sofa")
    real = watched.traces.get

    def changed_before(scope: Scope, ids: Sequence[str]) -> dict[str, Trace]:
        watched.traces.get = real  # type: ignore[method-assign]
        ana.update(traceId=trace, content="has a cat")
        ana.delete(traceId=gone)
        return real(scope, ids)

    watched.traces.get = changed_before  # type: ignore[method-assign]
    watched.called.clear()
    healed = Caller(filled_later, ana.scope)
    assert healed.contents("couch") == []
    clock.advance(PAUSE)
    assert healed.contents("couch") == []
    assert "retrieve" not in watched.called  # nothing was proposed
    assert healed.contents("feline") == ["has a cat"]


# ---------------------------------------------------------------- the table's word


@pytest.mark.usefixtures("few")
def test_a_purged_trace_is_left_out_and_not_read_again(tried: Backend, watched: Watched, scope: Scope) -> None:
    """As where a whole scope was erased by its owner: no tombstones."""
    ana = Caller(tried, scope)
    ids = ana.remember(*(f"tea {word_of(number)}" for number in range(6)))
    assert len(ana.contents("tea", limit=100)) == 6
    for trace in ids[:5]:
        del watched.traces._traces[scope, trace]  # type: ignore[attr-defined]
    watched.asked.clear()
    assert ana.contents("tea", limit=100) == [f"tea {word_of(5)}"]
    assert ana.contents("tea", limit=100) == [f"tea {word_of(5)}"]
    assert [len(asked) for asked in watched.asked] == [6, 1]


@pytest.mark.usefixtures("few")
def test_a_search_replaces_candidates_that_are_gone(tried: Backend, watched: Watched, scope: Scope) -> None:
    ana = Caller(tried, scope)
    ids = ana.remember(*(f"tea {word_of(number)}" for number in range(6)))
    best = [hit["id"] for hit in ana.search(query="tea", limit=100)["results"]]
    assert set(best) == set(ids)
    for trace in best[:3]:
        del watched.traces._traces[scope, trace]  # type: ignore[attr-defined]
    watched.asked.clear()
    assert [hit["id"] for hit in ana.search(query="tea", limit=2)["results"]] == best[3:5]
    assert watched.asked == [best[:2], best[2:4], best[4:5]]


def test_a_page_of_a_list_is_full_despite_purged_traces(tried: Backend, watched: Watched, scope: Scope) -> None:
    """Traces that the table lost without a change do not make a page shorter."""
    ana = Caller(tried, scope)
    ids = ana.remember(*(word_of(number) for number in range(6)))[::-1]
    assert len(ana.all()) == 6
    for trace in ids[:3]:
        del watched.traces._traces[scope, trace]  # type: ignore[attr-defined]
    watched.asked.clear()
    first = ana.list(limit=2)
    assert [one["id"] for one in first["results"]] == ids[3:5]
    second = ana.list(limit=2, cursor=first["nextCursor"])
    assert ([one["id"] for one in second["results"]], "nextCursor" in second) == (ids[5:], False)
    assert watched.asked == [ids[:2], ids[2:4], ids[4:5], ids[5:]]


def test_a_trace_refused_as_outdated_comes_back_with_its_change(tried: Backend, scope: Scope) -> None:
    """Between the read of the changes and that of the hits somebody writes."""
    ana = Caller(tried, scope)
    (trace,) = ana.remember("tea in the morning")
    ana.search(query="tea")
    watched = tried.traces
    real = watched.traces.retrieve  # type: ignore[attr-defined]

    def changed_before(*arguments: Any) -> Any:
        watched.traces.retrieve = real  # type: ignore[attr-defined]
        ana.update(traceId=trace, content="tea in the evening")
        return real(*arguments)

    watched.traces.retrieve = changed_before  # type: ignore[attr-defined]
    assert ana.contents("tea") == []
    assert ana.contents("tea") == ["tea in the evening"]


def test_a_hit_that_the_table_contradicts_is_replaced_by_what_the_table_has(
    fake_memory: Backend, clock: FakeClock, scope: Scope
) -> None:
    """The change lies before what is read again, because its writer's clock was slow: only the hit tells of it."""
    ana = Caller(fake_memory, scope)
    (trace,) = ana.remember("tea in the morning")
    clock.advance(timedelta(hours=2))
    assert ana.contents("tea") == ["tea in the morning"]
    slow = Caller(another(fake_memory, now=Off(clock, timedelta(hours=-1)).now), scope)
    slow.update(traceId=trace, content="cocoa in the evening")
    assert ana.contents("tea") == []
    assert ana.contents("cocoa") == ["cocoa in the evening"]
