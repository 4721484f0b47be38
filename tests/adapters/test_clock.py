"""The store's time: no clock of ours decides what a search sees."""

import contextlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from memtools.adapters import aws
from memtools.adapters.aws import StoreClock
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.errors import Unavailable

from tests.calls import Caller
from tests.fakes import START, FakeClock

SECOND = timedelta(seconds=1)


class World:
    """A store with the true time, and this machine's uptime, which stands still when it sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, uptime: float = 12_345.6) -> None:
        self.time, self.uptime = START, uptime
        self.asked = 0
        self.dated = True
        self.clock = StoreClock(self.ask)
        monkeypatch.setattr(aws, "_uptime", lambda: self.uptime)

    def ask(self) -> None:
        self.asked += 1
        self.answer()

    def answer(self, late: float = 0.0) -> None:
        """The store answers; the answer takes ``late`` seconds."""
        date = format_datetime(self.time.replace(microsecond=0), usegmt=True)
        self.go_on(late)
        self.clock._learn(SimpleNamespace(headers={"Date": date} if self.dated else {}))

    def go_on(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        self.uptime += seconds


@given(
    uptime=st.floats(0, 10**7),
    steps=st.lists(st.tuples(st.floats(0, 100), st.floats(0, 0.8), st.booleans()), max_size=20),
)
def test_the_time_is_the_stores_whatever_our_clock_shows(uptime: float, steps: list[tuple[float, float, bool]]) -> None:
    """Never later, at most two seconds earlier, and it never goes back by more than that."""
    with pytest.MonkeyPatch.context() as patch:
        world = World(patch, uptime)
        for pause, late, answers in steps:
            world.go_on(pause)
            if answers:
                world.answer(late)
            now = world.clock.now()
            assert world.time - 2 * SECOND <= now <= world.time + timedelta(milliseconds=1)
        assert world.asked <= 1


def test_after_a_sleep_the_next_answer_sets_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The uptime of a frozen process may have stood still."""
    world = World(monkeypatch)
    world.answer()
    world.time += timedelta(hours=1)
    assert world.clock.now() < world.time - timedelta(minutes=59)
    world.answer()
    assert world.time - 2 * SECOND <= world.clock.now() <= world.time


def test_an_older_date_is_taken_after_one_that_was_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy dated one answer an hour ahead: the next answer is right again."""
    world = World(monkeypatch)
    right = world.time
    world.time += timedelta(hours=1)
    world.answer()
    world.time = right
    world.answer()
    assert right - 2 * SECOND <= world.clock.now() <= right


def test_a_store_that_cannot_be_asked_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stamp of our own clock could hide a write."""
    world = World(monkeypatch)

    def ask() -> None:
        raise Unavailable("out")

    world.clock = StoreClock(ask)
    with pytest.raises(Unavailable):
        world.clock.now()


@pytest.mark.parametrize("date", ["", "yesterday", "Thu, 99 Dec 2026 10:00:00 GMT", "0"])
def test_an_odd_date_changes_nothing(monkeypatch: pytest.MonkeyPatch, date: str) -> None:
    world = World(monkeypatch)
    world.answer()
    before = world.clock.now()
    world.clock._learn(SimpleNamespace(headers={"Date": date}))
    assert world.clock.now() == before


def test_each_answer_of_aws_has_a_date(moto_memory: Backend) -> None:
    """Errors too."""
    client: Any = moto_memory.traces._client  # type: ignore[attr-defined]
    other: Any = moto_memory.personas._client  # type: ignore[attr-defined]
    calls: list[tuple[Any, str, dict[str, Any]]] = [
        (client, "list_tables", {}),
        (client, "get_item", {"TableName": "none", "Key": {"pk": {"S": "a"}}}),
        (other, "list_buckets", {}),
        (other, "get_object", {"Bucket": "none", "Key": "none"}),
    ]
    for asked, name, arguments in calls:
        learned = StoreClock(lambda: None)
        learned.listen(asked)
        with contextlib.suppress(ClientError):
            getattr(asked, name)(**arguments)
        asked.meta.events.unregister("after-call", learned._learn)
        assert learned._ahead is not None
        assert abs(learned.now() - datetime.now(UTC)) < 5 * SECOND


@pytest.mark.parametrize("pause", [timedelta(minutes=2), timedelta(hours=1), timedelta(days=20)])
def test_a_write_of_a_stopped_process_is_seen_by_warm_searches(
    moto_memory: Backend, clock: FakeClock, scope: Scope, pause: timedelta
) -> None:
    """FAULTS B1: the process was stopped between taking its stamp and writing; others have read past that time."""
    reader = Caller(moto_memory, scope)
    (known,) = reader.remember("likes coffee")
    assert reader.contents("coffee") == ["likes coffee"]
    clock.advance(pause)
    assert reader.contents("coffee") == ["likes coffee"]
    stopped = Caller(replace(moto_memory, now=lambda: clock.now() - pause), scope)
    stopped.remember("likes tea")
    stopped.update(traceId=known, content="likes cocoa")
    assert reader.contents("tea") == ["likes tea"]
    assert reader.contents("cocoa") == ["likes cocoa"]
    assert reader.contents("coffee") == []
    assert sorted(reader.all()) == ["likes cocoa", "likes tea"]
