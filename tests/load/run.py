"""The clients at work, and what is wrong afterwards with what they were told."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools_client import MemoryClient
from memtools_client.errors import MemoryToolError
from memtools_client.retries import Retries

from tests.calls import Caller
from tests.load.course import EVERYBODY, SHARED_FACTS, Course
from tests.load.witness import Witness, shown
from tests.races import account
from tests.races.account import Outcome
from tests.races.state import Finding, State, lost, read, untrue, whole
from tests.races.workers import Told

AGENT: Final = "load"
# What was told is held against all that is there, which takes the longer the more there is of both.
MOST_CALLS: Final = 2_000
_SOUGHT: Final = 10  # facts of each memory that are searched for afterwards
# The tools that may be told of a conflict: the others ask for nothing that could be in one.
_MAY_CONFLICT: Final = ("update", "edit")


@dataclass
class Log:
    """What each call was told, by the user whose memory it was about, and how long it took, by tool.

    ``courses`` has the same for each client and memory, in the order of the client's calls.
    """

    told: dict[str, list[Told]] = field(default_factory=dict)
    courses: list[tuple[str, Sequence[Told]]] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def add(self, user: str, told: Told, seconds: float) -> None:
        """Take a call down."""
        self.told.setdefault(user, []).append(told)
        self.seconds.setdefault(told.call.tool, []).append(seconds)

    def refused(self) -> Counter[tuple[str, str]]:
        """How many calls of each tool ended with each code."""
        calls = (one for told in self.told.values() for one in told if one.reply is None)
        return Counter((one.call.tool, one.code) for one in calls)


def client_of(url: str, user: str) -> MemoryClient:
    """A client that sends nothing again: what is out is told."""
    return MemoryClient.local(url, user=user, agent=AGENT, retries=Retries(attempts=1))


def prepare(url: str) -> list[str]:
    """Facts that all clients share; their ids."""
    facts = [f"fact {number} that all share" for number in range(SHARED_FACTS)]
    reply = client_of(url, EVERYBODY).call("memory_add", {"facts": facts, "tags": ["prepared"]})
    return [one["id"] for one in reply["saved"]]


def put_under_load(url: str, clients: int, seconds: float, calls: int, seed: int) -> Log:
    """All clients at once, until the time is over or each has made its calls."""
    shared = prepare(url)
    end = time.monotonic() + seconds
    logs = [Log() for _ in range(clients)]
    with ThreadPoolExecutor(clients) as pool:
        courses = [Course(number, seed, shared) for number in range(clients)]
        running = [pool.submit(_follow, url, *pair, end, calls) for pair in zip(courses, logs, strict=True)]
        for one in running:
            one.result()
    return _together(logs)


def _follow(url: str, course: Course, log: Log, end: float, calls: int) -> None:
    base = client_of(url, EVERYBODY)
    for _, step in zip(range(calls), course.steps(), strict=False):
        if time.monotonic() > end:
            return
        arguments = {name.rstrip("_"): value for name, value in step.call.arguments.items()}
        began = time.perf_counter()
        try:
            reply = base.for_user(step.place.user).call(f"memory_{step.call.tool}", arguments)
            told = Told(step.call, reply=reply)
        except MemoryToolError as error:
            told = Told(step.call, code=error.code, details=error.details)
        log.add(step.place.user, told, time.perf_counter() - began)
        if told.reply is None and not is_told_conflict(told):
            return  # what it believes of the memory is no longer so
        course.learn(step.place, told)


def is_told_conflict(told: Told) -> bool:
    """Whether the call named a version, and was refused because another one stands there."""
    named = told.call.arguments.get("version")
    is_conflict = told.code == "conflict" and told.call.tool in _MAY_CONFLICT
    return is_conflict and named is not None and named != told.details["version"]


def _together(logs: Sequence[Log]) -> Log:
    whole_log = Log()
    for log in logs:
        for user, told in log.told.items():
            whole_log.told.setdefault(user, []).extend(told)
            whole_log.courses.append((user, told))
        for tool, seconds in log.seconds.items():
            whole_log.seconds.setdefault(tool, []).extend(seconds)
    return whole_log


def findings(url: str, open_memory: Callable[[], Backend], log: Log) -> Iterator[Finding]:
    """What is wrong: calls that were refused though nothing was against them, and what is not as it was told."""
    for user, told in log.told.items():
        yield from (untrue(f"refused: {one}") for one in told if one.reply is None and not is_told_conflict(one))
        scope = Scope(AGENT, user)
        memory = open_memory()
        end = read(memory, scope)
        yield from judged(told, end)
        yield from found_again(url, user, end)
        yield from account.shown(Caller(memory, scope), end)
    for user, course in log.courses:
        yield from Witness(alone=user != EVERYBODY).hear(course)


def judged(told: Sequence[Told], end: State) -> Iterator[Finding]:
    """What calls on one memory were told, against its state; it began as ``prepare`` left it, or empty."""
    start = State({name: [chain[0]] for name, chain in end.chains.items() if "prepared" in chain[0].tags}, [])
    edits = [one for one in told if one.call.tool == "edit"]
    others = [one for one in told if one.call.tool != "edit"]
    yield from whole(start, end)
    yield from account.traces(Outcome(start, end, others))
    yield from account.duplicates(Outcome(start, end, others))
    yield from account.document(Outcome(start, end, edits))
    yield from shown(told, end)


def found_again(url: str, user: str, end: State) -> Iterator[Finding]:
    """Some facts are found by what they say, and those that are no longer remembered are not."""
    client = client_of(url, user)
    live = {trace.content for trace in end.live.values()}
    dead = {trace.content for trace in end.current.values()} - live
    for content in sorted(live)[:_SOUGHT]:
        if content not in _found(client, content):
            yield lost(f"{content!r} is there, and a search does not find it")
    for content in sorted(dead)[:_SOUGHT]:
        if content in _found(client, content):
            yield untrue(f"{content!r} is gone, and a search finds it")


def _found(client: MemoryClient, query: str) -> set[str]:
    return {hit.content for hit in client.memory_search(query, limit=20).results}
