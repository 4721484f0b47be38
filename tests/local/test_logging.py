"""What reaches the log of the local service and of the functions, at the lowest level."""

import logging
from collections.abc import Iterator

import pytest
import requests

from local.service import Service

_SECRET = "Zanzibar"


class Lines(logging.Handler):
    """Keeps every record as text, with the exception."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += f"{record.name} {self.format(record)} {record.args}\n"


@pytest.fixture
def root() -> Iterator[Lines]:
    """The root logger at DEBUG, as an operator sets it who looks for a fault."""
    logger, lines = logging.getLogger(), Lines()
    before = logger.level
    logger.setLevel(logging.DEBUG)
    logger.addHandler(lines)
    yield lines
    logger.removeHandler(lines)
    logger.setLevel(before)


def test_debug_logging_shows_no_memory(running: Service, root: Lines) -> None:
    """A write, a search and a refusal at DEBUG leave neither content nor names in any logger's records."""
    caller = {"x-memory-agent": "helper", "x-memory-user": f"{_SECRET}-user"}
    for tool, arguments in (
        ("add", {"facts": [f"{_SECRET} fact"]}),
        ("search", {"query": _SECRET}),
        ("edit", {"action": "add", "text": f"{_SECRET} entry"}),
        ("edit", {"action": "remove", "text": f"{_SECRET} absent"}),
        ("read", {}),
    ):
        address = f"{running.url}/tools/memory_{tool}"
        assert requests.post(address, json=arguments, headers=caller, timeout=30).status_code < 500
    logging.getLogger("tests").debug("the handler listens")
    assert "the handler listens" in root.text
    assert _SECRET.lower() not in root.text.lower()
