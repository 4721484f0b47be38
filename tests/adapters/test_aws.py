"""What all AWS adapters share."""

import pytest
from memtools import current_call
from memtools.adapters.aws import in_parallel, translated_errors
from memtools.adapters.translation import READ_FAILED
from memtools.errors import Unavailable


def test_the_deadline_of_a_call_holds_in_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """FAULTS A12: no store call starts after it, in whichever thread; outside of a call there is none."""

    def store_call(_: int) -> str:
        with translated_errors(READ_FAILED):
            return "started"

    monkeypatch.setattr(current_call, "SECONDS", -1.0)
    with current_call.running_call(), pytest.raises(Unavailable, match="slow"):
        list(in_parallel(store_call, range(8)))
    assert list(in_parallel(store_call, range(8))) == ["started"] * 8
