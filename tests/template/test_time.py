"""Whatever a store or a model does, an answer comes before the function's time is up."""

from typing import Any

from memtools import current_call
from memtools.adapters import aws, titan

from tests.template.test_template import globals_of_functions

# botocore's standard mode waits up to one second before the first retry, twice as long before each further one.
FIRST_PAUSE = 1.0


def longest(config: Any) -> float:
    """The seconds that a call takes which hangs in each attempt."""
    tries = config.retries["total_max_attempts"]
    pauses = sum(FIRST_PAUSE * 2**number for number in range(tries - 1))
    return float(tries * (config.connect_timeout + config.read_timeout) + pauses)


def test_a_call_begun_at_the_last_moment_that_hangs_ends_within_the_functions_time() -> None:
    assert current_call.SECONDS + longest(aws.CONFIG) < globals_of_functions["Timeout"]


def test_a_model_asked_at_the_last_moment_that_hangs_is_left_within_the_functions_time() -> None:
    """No call to a store is begun after it any more."""
    assert globals_of_functions["Timeout"] > current_call.SECONDS + titan.SECONDS


def test_a_model_that_hangs_leaves_time_for_a_store_that_hangs_and_for_a_second_attempt_after_it() -> None:
    assert titan.SECONDS + longest(aws.CONFIG) < globals_of_functions["Timeout"]
    assert 2 * titan.SECONDS < current_call.SECONDS


def test_a_try_of_the_model_that_hangs_ends_while_it_is_waited_for_and_a_thread_left_behind_soon_after() -> None:
    config: Any = titan.CONFIG
    assert config.connect_timeout + config.read_timeout < titan.SECONDS
    assert titan.SECONDS < longest(config) < 2 * titan.SECONDS
