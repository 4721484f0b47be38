"""What the handler makes of an error."""

from typing import Any, Never

import pytest
from memtools.backend import Backend
from memtools.errors import Fault
from memtools.handler import _outcome


@pytest.mark.parametrize("kind", [ValueError, KeyError, RuntimeError])
def test_a_bug_is_told_and_logged_without_its_text(fake_memory: Backend, kind: type[Exception]) -> None:
    """The text of an unforeseen exception may hold content: neither the log nor the reply repeats it."""

    def decode() -> Never:
        raise kind("marzipan")

    outcome, entry = _outcome(decode, ["memory_search"], fake_memory)
    assert isinstance(outcome, Fault)
    assert (entry["outcome"], entry["cause"]) == ("fault", kind.__name__)
    told: dict[str, Any] = outcome.as_dict()
    assert "marzipan" not in f"{entry} {told}"
