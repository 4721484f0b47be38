"""The load in a short setting, and that what can go wrong under it is seen."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from memtools.backend import Backend
from memtools.catalogue import TOOLS
from memtools.config import Settings
from memtools.domain.scope import Scope
from memtools.domain.trace import Status
from memtools_cli.service.running import running

from tests.load.course import EVERYBODY
from tests.load.run import AGENT, Log, findings, is_told_conflict, judged, put_under_load
from tests.memories import over_file
from tests.races.state import Kind, State, read
from tests.races.workers import Call, Told

CLIENTS, CALLS = 4, 100


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return replace(Settings.local(tmp_path_factory.mktemp("load") / "memory.db"), embedder="none")


@pytest.fixture(scope="module")
def url(settings: Settings) -> Iterator[str]:
    with running(settings) as address:
        yield address


@pytest.fixture(scope="module")
def log(url: str) -> Log:
    return put_under_load(url, CLIENTS, seconds=120, calls=CALLS, seed=1)


@pytest.fixture
def state(settings: Settings, log: Log) -> State:
    """What is there of the memory that all shared."""
    assert log
    return read(opened(settings), Scope(AGENT, EVERYBODY))


def opened(settings: Settings) -> Backend:
    """The memory, seen by another process."""
    assert settings.file
    return over_file(settings.file, lambda: datetime.now(UTC))


def kinds(log: Log, state: State) -> set[Kind]:
    return {one.kind for one in judged(log.told[EVERYBODY], state)}


def test_all_tools_at_once_leave_what_was_told(settings: Settings, url: str, log: Log) -> None:
    assert {f"memory_{tool}" for tool in log.seconds} == set(TOOLS)
    assert sum(map(len, log.seconds.values())) == CLIENTS * CALLS
    assert any(code == "conflict" for _, code in log.refused())
    assert list(findings(url, lambda: opened(settings), log)) == []


def test_the_same_seed_makes_the_same_first_calls(url: str) -> None:
    logs = [put_under_load(url, 1, seconds=60, calls=3, seed=7) for _ in range(2)]
    first, second = ([str(one.call) for told in log.told.values() for one in told] for log in logs)
    assert first == second


def test_a_write_that_is_gone_is_seen(log: Log, state: State) -> None:
    saved = next(one.reply["saved"][0]["id"] for one in log.told[EVERYBODY] if one.call.tool == "add" and one.reply)
    chains = {name: chain for name, chain in state.chains.items() if name != saved}
    assert Kind.LOST in kinds(log, replace(state, chains=chains))


def test_an_edit_that_is_gone_is_seen(log: Log, state: State) -> None:
    assert Kind.LOST in kinds(log, replace(state, document=state.document[:-1]))


def test_half_a_merge_is_seen(log: Log, state: State) -> None:
    name, chain = next((name, chain) for name, chain in state.chains.items() if chain[-1].status is Status.MERGED)
    assert Kind.PARTIAL in kinds(log, replace(state, chains={**state.chains, name: chain[:-1]}))


def test_a_change_that_nobody_was_told_of_is_seen(log: Log, state: State) -> None:
    name, chain = next((name, chain) for name, chain in state.chains.items() if chain[-1].live)
    one_more = replace(chain[-1], version=chain[-1].version + 1, content="nobody asked for this")
    assert kinds(log, replace(state, chains={**state.chains, name: [*chain, one_more]}))


@pytest.mark.parametrize(
    ("call", "code", "fine"),
    [
        (Call("update", {"trace_id": "mt_1", "content": "x", "version": 1}), "conflict", True),
        (Call("edit", {"action": "add", "text": "x", "version": "v"}), "conflict", True),
        (Call("update", {"trace_id": "mt_1", "content": "x", "version": 2}), "conflict", False),
        (Call("update", {"trace_id": "mt_1", "content": "x"}), "conflict", False),
        (Call("delete", {"trace_id": "mt_1"}), "conflict", False),
        (Call("update", {"trace_id": "mt_1", "content": "x", "version": 1}), "not_found", False),
        (Call("search", {"query": "x"}), "unavailable", False),
    ],
)
def test_only_a_conflict_over_a_version_is_no_error(call: Call, code: str, fine: bool) -> None:
    assert is_told_conflict(Told(call, code=code, details={"version": 2})) is fine


def test_a_call_that_was_refused_for_nothing_is_seen(settings: Settings, url: str) -> None:
    log = Log()
    log.add("nobody yet", Told(Call("search", {"query": "x"}), code="unavailable"), 0.1)
    assert [one.kind for one in findings(url, lambda: opened(settings), log)] == [Kind.UNTRUE]
