"""By direct invoke of the Lambda functions, without the HTTP API."""

import json
from collections.abc import Mapping
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from memtools_client.errors import (
    InvalidArguments,
    MemoryToolError,
    NotFound,
    TooLarge,
    Unavailable,
    Unscoped,
    error_of,
)
from memtools_client.functions import FUNCTIONS
from memtools_client.http import CONNECT_SECONDS, READ_SECONDS
from memtools_client.wire import Scope, sendable

_REFUSALS: Final[Mapping[str, type[MemoryToolError]]] = {
    "AccessDeniedException": Unscoped,
    "ExpiredTokenException": Unscoped,
    "UnrecognizedClientException": Unscoped,
    "ResourceNotFoundException": NotFound,
    "RequestTooLargeException": TooLarge,
    "InvalidRequestContentException": InvalidArguments,
    "ValidationException": InvalidArguments,
}


class InvokeTransport:
    """``functions`` has the name or ARN of each function: search, add, edit and merge, as far as they are called."""

    scoped = True

    def __init__(
        self,
        functions: Mapping[str, str],
        *,
        session: Any = None,
        connect: float = CONNECT_SECONDS,
        read: float = READ_SECONDS,
        client: Any = None,
    ) -> None:
        self._functions = functions
        self._lambda = client or (session or boto3.session.Session()).client(
            "lambda",
            # Sent again from one place only: see retries.py.
            config=Config(connect_timeout=connect, read_timeout=read, retries={"total_max_attempts": 1}),
        )

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope) -> Mapping[str, Any]:
        """One invocation; see Transport."""
        given = {"agent": scope.agent, "user": scope.user}
        context = {name: value for name, value in given.items() if value is not None}
        event = {"tool": tool, "arguments": sendable(arguments), "context": context}
        try:
            answer = self._lambda.invoke(FunctionName=self._function_of(tool), Payload=json.dumps(event).encode())
            payload = answer["Payload"].read()
        except ClientError as error:
            raise _REFUSALS.get(error.response["Error"]["Code"], Unavailable)(str(error)) from error
        except NoCredentialsError as error:
            raise Unscoped(str(error)) from error
        except BotoCoreError as error:
            raise Unavailable(f"The memory did not answer ({type(error).__name__}).") from error
        if "FunctionError" in answer:
            raise Unavailable("The memory's function ended without an answer.")
        return _result(json.loads(payload))

    def _function_of(self, tool: str) -> str:
        name = self._functions.get(FUNCTIONS.get(tool, ""))
        if name is None:
            raise NotFound(f"No function is known here that serves {tool}.")
        return name


def _result(told: Mapping[str, Any]) -> Mapping[str, Any]:
    if told.get("ok"):
        result: Mapping[str, Any] = told["result"]
        return result
    error = told["error"]
    raise error_of(error["code"], error["message"], error.get("details"))
