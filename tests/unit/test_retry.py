"""How often, and for how long, a lost race is run again."""

import random
import time

import pytest
from memtools import current_call, retry


class Time:
    """A clock that only sleeping and working move; every pause is drawn at ``share`` of what it may be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, share: float) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []
        self.bounds: list[float] = []
        self._share = share
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "sleep", self._sleep)
        monkeypatch.setattr(random, "uniform", self._uniform)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)

    def _uniform(self, low: float, high: float) -> float:
        assert low == 0
        self.bounds.append(high)
        return high * self._share


def test_attempts_are_counted_from_zero_up_to_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    Time(monkeypatch, 0.0)
    assert list(retry.attempts()) == list(range(retry.ATTEMPTS))


def test_pauses_double_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time(monkeypatch, 1.0)
    list(retry.attempts())
    assert clock.bounds[:6] == pytest.approx([0.02, 0.04, 0.08, 0.16, 0.32, 0.4])
    assert max(clock.bounds) == pytest.approx(0.4)
    assert clock.pauses == pytest.approx(clock.bounds[: len(clock.pauses)])


def test_no_pause_ends_after_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time(monkeypatch, 1.0)
    made = list(retry.attempts())
    assert 20 < len(made) < retry.ATTEMPTS
    assert clock.now - 1000.0 <= current_call.SECONDS


def test_slow_work_uses_the_time_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time(monkeypatch, 1.0)
    made = 0
    for _ in retry.attempts():
        made += 1
        clock.now += 5.0
    assert made == 3


def test_every_call_has_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    Time(monkeypatch, 1.0)
    first = len(list(retry.attempts()))
    assert len(list(retry.attempts())) == first


def test_there_is_no_pause_after_the_last_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause is followed by an attempt."""
    clock = Time(monkeypatch, 0.001)
    made = list(retry.attempts())
    assert len(clock.pauses) == len(made) - 1


def test_within_a_time_limit_nothing_new_is_begun_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time(monkeypatch, 1.0)
    assert not current_call.out_of_time()
    with current_call.running_call():
        clock.now += current_call.SECONDS - 0.01
        assert not current_call.out_of_time()
        assert list(retry.attempts()) == [0]
        clock.now += 0.02
        assert current_call.out_of_time()
    assert not current_call.out_of_time()
