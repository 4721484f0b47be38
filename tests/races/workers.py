"""Two processes of sixteen threads each, which make calls at the same moment and tell what came of each."""

import itertools
import multiprocessing
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final

import boto3
from botocore.exceptions import ConnectionClosedError
from memtools.adapters.aws import CONFIG
from memtools.backend import Backend
from memtools.domain.scope import Scope
from memtools.errors import ToolError

from tests.calls import Caller
from tests.memories import over_adapters, over_file

PROCESSES: Final = 2
THREADS: Final = 16
LANES: Final = PROCESSES * THREADS
# A call gives up after some ten seconds by itself; a crew that takes this long is stuck.
_SECONDS_FOR_A_RACE = 120.0
_SECONDS_TO_START = 60.0
_SECONDS_TO_END = 10.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a race. ``mark`` stands in all that it writes, and in nothing that another call writes."""

    tool: str
    arguments: Mapping[str, Any]
    mark: str = ""

    def __str__(self) -> str:
        return f"{self.tool}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"


@dataclass(frozen=True, slots=True)
class Told:
    """What a call was told: a reply, or the code and details of a refusal. A crash has the code ``crash``."""

    call: Call
    reply: Mapping[str, Any] | None = None
    code: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Told that nothing was done, and not merely that nobody knows."""
        return self.reply is None and self.code not in ("unavailable", "crash")

    def __str__(self) -> str:
        return f"{self.call} -> {self.code + ' ' + str(dict(self.details)) if self.reply is None else dict(self.reply)}"


Lane = Sequence[Call]


class LostAnswers:
    """While it is on, one in so many conditional writes at AWS takes effect and its answer never comes back.

    botocore then sends the write again, and that one meets what the first has done.
    """

    one_in: Final = 4
    operations: Final = ("dynamodb.TransactWriteItems", "s3.PutObject")

    def __init__(self) -> None:
        self.on = False
        self._numbers = itertools.count()

    def watch(self, client: Any) -> None:
        """Lose answers of this client."""

        def send(request: Any, **_: Any) -> Any:
            if not self.on:
                return None
            answer = client._endpoint.http_session.send(request)
            if answer.status_code == HTTPStatus.OK and next(self._numbers) % self.one_in == 0:
                raise ConnectionClosedError(endpoint_url=request.url)
            return answer

        for operation in self.operations:
            client.meta.events.register(f"before-send.{operation}", send)


def memory_at(names: Mapping[str, str], losing: LostAnswers | None = None) -> Backend:
    """A memory of its own in the file named, or in table and bucket, at the AWS that the environment leads to."""
    if address := names.get("STORE_ADDRESS"):
        return over_file(Path(address.removeprefix("sqlite:")), lambda: datetime.now(UTC))
    dynamodb, s3 = boto3.client("dynamodb", config=CONFIG), boto3.client("s3", config=CONFIG)
    if losing:
        losing.watch(dynamodb)
        losing.watch(s3)
    return over_adapters(dynamodb, s3, names, lambda: datetime.now(UTC))


def make(caller: Caller, call: Call) -> Told:
    """Make the call."""
    try:
        return Told(call, reply=getattr(caller, call.tool)(**call.arguments))
    except ToolError as error:
        return Told(call, code=error.code, details=error.details)
    except Exception as error:
        return Told(call, code="crash", details={"error": repr(error)})


def _run_lane(caller: Caller, together: threading.Barrier, lane: Lane) -> list[Told]:
    together.wait(_SECONDS_TO_START)
    return [make(caller, call) for call in lane]


def _work(names: Mapping[str, str], orders: Connection, answers: Connection, start: Barrier) -> None:
    """A worker: runs the lanes of each order, all at once and together with the other workers, until told to end."""
    losing = LostAnswers()
    memory = memory_at(names, losing)

    def await_the_others() -> None:
        start.wait(_SECONDS_TO_START)

    with ThreadPoolExecutor(THREADS) as pool:
        while (order := orders.recv()) is not None:
            scope, lanes, losing.on = order
            caller = Caller(memory, scope)
            together = threading.Barrier(THREADS, action=await_the_others)
            running = [pool.submit(_run_lane, caller, together, lane) for lane in lanes]
            answers.send([told for lane in running for told in lane.result()])


class Crew:
    """The workers, there for many races."""

    def __init__(self, names: Mapping[str, str]) -> None:
        names = {str(name): str(value) for name, value in names.items()}  # a template's own strings cannot be sent
        spawning = multiprocessing.get_context("spawn")
        # Kept here: a barrier that its maker forgets is gone before a worker opens it.
        self._start = spawning.Barrier(PROCESSES)
        self._workers = []
        for _ in range(PROCESSES):
            orders, order = spawning.Pipe(duplex=False)
            answer, answers = spawning.Pipe(duplex=False)
            process = spawning.Process(target=_work, args=(names, orders, answers, self._start), daemon=True)
            process.start()
            orders.close()
            answers.close()
            self._workers.append((process, order, answer))

    def run(self, scope: Scope, lanes: Sequence[Lane], *, losing: bool) -> list[Told]:
        """Run the lanes at the same time, their calls one after another; what each call was told.

        ``losing``: the answers of some writes are lost on their way.
        """
        assert len(lanes) == LANES, f"a race has {LANES} lanes, not {len(lanes)}"
        for number, (_, order, _) in enumerate(self._workers):
            order.send((scope, lanes[number::PROCESSES], losing))
        told: list[Told] = []
        for process, _, answer in self._workers:
            if not answer.poll(_SECONDS_FOR_A_RACE):
                raise RuntimeError(f"worker {process.pid} did not answer")
            told += answer.recv()
        return told

    def dismiss(self) -> None:
        """Let the workers end; those that do not are ended."""
        for _, order, _ in self._workers:
            with suppress(BrokenPipeError):
                order.send(None)
        for process, order, answer in self._workers:
            process.join(_SECONDS_TO_END)
            if process.is_alive():
                process.kill()
                process.join()
            order.close()
            answer.close()
            process.close()


@contextmanager
def crew(names: Mapping[str, str]) -> Iterator[Crew]:
    """A crew for as long as the context lasts."""
    workers = Crew(names)
    try:
        yield workers
    finally:
        workers.dismiss()
