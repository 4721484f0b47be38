"""A server in the place of API Gateway that answers what a test says, and remembers what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memtools_cli.service.serving import serving
from werkzeug.wrappers import Request, Response


@dataclass
class Answer:
    """A status, a body and headers, held back ``until`` something happens."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    until: threading.Event | None = None


@dataclass
class StandIn:
    """The server's address, and each request as method, path, headers and body."""

    url: str = ""
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)


def problem(status: int, code: str, **details: Any) -> Answer:
    """An error as the service tells it."""
    return Answer(status, {"code": code, "detail": f"It is {code}.", "details": details})


@contextmanager
def listening(*answers: Answer) -> Iterator[StandIn]:
    """The server, on loopback; the last answer is given to all that come after it."""
    stand_in = StandIn()

    @Request.application
    def respond(request: Request) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        stand_in.requests.append((request.path, headers, request.get_data()))
        answer = answers[min(len(stand_in.requests), len(answers)) - 1]
        if answer.until:
            answer.until.wait(10)
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        return Response(body, answer.status, headers=answer.headers)

    with serving(respond) as stand_in.url:
        yield stand_in
