"""A connection to the Lambda functions by direct invoke, without the HTTP API."""

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
from memtools_client.retries import seconds_of
from memtools_client.wire import CONNECT_SECONDS, READ_SECONDS, Scope, json_ready

# Lambda's own errors; any other may go away by itself.
_BY_CODE: Final[Mapping[str, type[MemoryToolError]]] = {
    "AccessDeniedException": Unscoped,
    "ExpiredTokenException": Unscoped,
    "UnrecognizedClientException": Unscoped,
    "ResourceNotFoundException": NotFound,
    "RequestTooLargeException": TooLarge,
    "InvalidRequestContentException": InvalidArguments,
    "ValidationException": InvalidArguments,
}


class LambdaConnection:
    """Invokes the function that serves each tool.

    Args:
        functions: The name or ARN of each function that will be called, under ``search``, ``add``, ``edit`` and
            ``merge``; or the outputs of the stack by name, as they are.
        session: A boto3 Session; without it boto3's default.
        connect: The timeout for connecting, in seconds.
        read: The timeout for the answer, in seconds.
        client: A boto3 client for Lambda instead, whose own timeouts and retries then apply.
    """

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
            # One attempt, since retries.py decides about more.
            config=Config(connect_timeout=connect, read_timeout=read, retries={"total_max_attempts": 1}),
        )

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope, key: str) -> Mapping[str, Any]:
        """See Connection."""
        return self.invoke(FUNCTIONS.get(tool, ""), tool, arguments, scope, key)

    def invoke(
        self, function: str, tool: str, arguments: Mapping[str, Any], scope: Scope, key: str | None = None
    ) -> Mapping[str, Any]:
        """Call a tool that this client need not know, by its function: ``search``, ``add``, ``edit`` or ``merge``."""
        name = self._functions.get(function) or self._functions.get(f"{function.capitalize()}FunctionArn")
        if name is None:
            raise NotFound(f"No function is known here that serves {tool}.")
        names = {"agent": scope.agent, "user": scope.user, "idempotencyKey": key}
        context = {key: value for key, value in names.items() if value is not None}
        event = {"tool": tool, "arguments": json_ready(arguments), "context": context}
        try:
            response = self._lambda.invoke(FunctionName=name, Payload=json.dumps(event).encode())
            payload = response["Payload"].read()
        except ClientError as error:
            raise _refusal(error) from error
        except NoCredentialsError as error:
            raise Unscoped(str(error)) from error
        except BotoCoreError as error:
            raise Unavailable(f"The memory did not answer ({type(error).__name__}).") from error
        if "FunctionError" in response:
            raise Unavailable("The memory's function ended without an answer.")
        return _result(json.loads(payload))


def _refusal(error: ClientError) -> MemoryToolError:
    kind = _BY_CODE.get(error.response["Error"]["Code"])
    if kind:
        return kind(str(error))
    headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return Unavailable(str(error), wait=seconds_of(headers.get("retry-after")))


def _result(reply: Any) -> Mapping[str, Any]:
    match reply:
        case {"ok": True, "result": dict(result)}:
            return result
        case {"ok": False, "error": {"code": str(code), "message": str(message)} as error}:
            raise error_of(code, message, error.get("details"))
        case _:
            raise Unavailable("What answers there is not a function of memtools.")
