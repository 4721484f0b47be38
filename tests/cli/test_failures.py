"""What goes wrong between the command line and the tools, in our words: no text of AWS reaches a user."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from memtools_cli.connection import call
from memtools_cli.failures import Failure
from memtools_client import MemoryClient, MemoryToolError, NotFound, Unscoped, wire
from memtools_client import Unavailable as NoAnswer


class Failing:
    """A transport that raises an error, as it would after ``cause``."""

    scoped = True

    def __init__(self, error: Exception, cause: Exception | None) -> None:
        self.error = error
        self.cause = cause

    def send(self, tool: str, arguments: Any, scope: wire.Scope, key: str) -> dict[str, Any]:
        raise self.error from self.cause


def aws(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "secret"}}, "Invoke")


@pytest.mark.parametrize(
    ("error", "cause", "exit_code", "code"),
    [
        (Unscoped("secret"), aws("AccessDeniedException"), 4, "unscoped"),
        (Unscoped("secret"), NoCredentialsError(), 4, "unscoped"),
        (NotFound("secret"), aws("ResourceNotFoundException"), 1, "not_found"),
        (Unscoped("secret"), None, 4, "forbidden"),
        (Unscoped("The tool says so.", {"missing": "agent"}), None, 4, "unscoped"),
        (KeyError("secret"), None, 1, "refused"),
    ],
)
def test_errors_of_aws_are_translated(error: Exception, cause: Exception | None, exit_code: int, code: str) -> None:
    """An answer of another program is refused; an error of the tool's own keeps its message."""
    with pytest.raises(Failure) as raised:
        call(MemoryClient(Failing(error, cause)), "memory_list", {})
    assert (raised.value.exit_code, raised.value.code) == (exit_code, code)
    assert "secret" not in raised.value.message


def test_a_service_that_is_down_is_named_by_its_error() -> None:
    error: MemoryToolError = NoAnswer("secret")
    with pytest.raises(Failure, match="Nothing answers there \\(TimeoutError\\)") as raised:
        call(MemoryClient(Failing(error, TimeoutError("secret"))), "memory_list", {})
    assert raised.value.exit_code == 3
