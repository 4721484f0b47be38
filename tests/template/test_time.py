"""Whatever a store does, an answer comes before the function's time is up."""

from typing import Any

from memtools import retry
from memtools.adapters.aws import CONFIG

from tests.template.test_template import globals_of_functions

# botocore's standard mode waits up to one second before the first retry, twice as long before each further one.
FIRST_PAUSE = 1.0


def test_a_call_begun_at_the_last_moment_that_hangs_ends_within_the_functions_time() -> None:
    config: Any = CONFIG
    tries = config.retries["total_max_attempts"]
    hanging = tries * (config.connect_timeout + config.read_timeout)
    pauses = sum(FIRST_PAUSE * 2**number for number in range(tries - 1))
    assert retry.SECONDS + hanging + pauses < globals_of_functions["Timeout"]
