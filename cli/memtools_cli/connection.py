"""The client for the tools that the options describe, and its errors as failures."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError
from memtools.adapters.archive.errors import translated, translation
from memtools_client import MemoryClient, MemoryToolError, Unscoped

from memtools_cli.failures import BadUsage, Failure, Forbidden, Refused, Unavailable, failure_of, tool_failure
from memtools_cli.local import client_in
from memtools_cli.options import MemoryOptions, ToolsOptions
from memtools_cli.stack import FUNCTIONS, functions_of, functions_with_prefix, outputs_of

# Signatures go to API Gateway alone, unless --sign says otherwise.
_API_GATEWAY: Final = re.compile(r"[a-z0-9-]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com(\.cn)?")
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def connect(tools: ToolsOptions, memory: MemoryOptions) -> MemoryClient:
    """The client. Raises Failure or ToolError where the options do not fit together."""
    way, value = tools.chosen()
    if way == "url":
        return _over_http(value, tools, memory)
    if way == "data":
        return client_in(value, memory.scope())
    return by_invoke(named_functions(way, value), memory)


def named_functions(way: str, value: str) -> dict[str, str]:
    """What to invoke, by what each function serves. Raises Failure or ToolError where one is missing."""
    functions = functions_of(outputs_of(value)) if way == "stack" else functions_with_prefix(value)
    if missing := [one for one in FUNCTIONS if one not in functions]:
        raise Refused(f"No function found for {', '.join(missing)}: check --stack or --function-prefix.", "not_found")
    return functions


def by_invoke(functions: Mapping[str, str], memory: MemoryOptions) -> MemoryClient:
    """A client that invokes these functions. Raises Failure or ToolError."""
    scope = memory.scope()
    with translated("make a client for lambda"):
        return MemoryClient.invoking(functions, user=scope.user, agent=scope.agent)


def call(client: MemoryClient, tool: str, arguments: Any, *, key: str | None = None) -> dict[str, Any]:
    """The tool's reply. Raises Failure."""
    try:
        return dict(client.call(tool, arguments, key=key))
    except MemoryToolError as error:
        raise _failure_of(error) from None
    except (LookupError, TypeError, ValueError):
        raise Refused("What answers there is not memtools: check the address, the stack or the prefix.") from None


def _failure_of(error: MemoryToolError) -> Failure:
    """The failure; in our words where the error comes from AWS or from API Gateway, not from a tool."""
    if isinstance(error.__cause__, (ClientError, BotoCoreError)):
        return failure_of(translation(error.__cause__, "call the tool"))
    if error.__cause__:
        cause = type(error.__cause__).__name__
        return Unavailable(f"Nothing answers there ({cause}). Check the address, or try again.")
    if isinstance(error, Unscoped) and not (error.from_tool or error.details):
        return Forbidden(
            "The caller was refused before any tool ran: check that you are signed in and may call execute-api:Invoke"
            " there, or that the token has the issuer and audience that the API accepts."
        )
    return tool_failure(error.code, error.message, error.details)


def _over_http(address: str, tools: ToolsOptions, memory: MemoryOptions) -> MemoryClient:
    host = _host_of(address)
    if tools.token:
        if not _fits_header(tools.token):
            raise BadUsage("The token has characters that no header can carry.")
        return MemoryClient.with_token(address, tools.token)
    agent, user = (_header_name(kind, getattr(memory, kind)) for kind in ("agent", "user"))
    if host in _LOOPBACK:
        memory.scope()
        return MemoryClient.local(address, user=user, agent=agent)
    if not _API_GATEWAY.fullmatch(host) and not tools.sign:
        raise BadUsage(f"{host} is not an address of API Gateway: give a --token, or --sign to send signatures there.")
    try:
        with translated("sign the request"):
            return MemoryClient.signed(address, user=user, agent=agent)
    except ValueError:
        raise BadUsage("No AWS region: set AWS_REGION.") from None


def _host_of(address: str) -> str:
    """The host of an address that may be called. Raises Failure."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise BadUsage("--url is not an address.") from None
    if not host or parts.username or parts.query or parts.fragment or not _fits_header(address):
        raise BadUsage("--url has to be an address such as https://abc.execute-api.eu-west-1.amazonaws.com.")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise BadUsage("--url has to begin with https://, or with http:// on this machine.")
    return host


def _header_name(kind: str, name: str) -> str | None:
    """The name as a header carries it, None for the API's own. Raises Failure where no header can carry it."""
    if not _fits_header(name) or "," in name or name != name.strip():
        raise BadUsage(f"Over HTTP, --{kind} takes ASCII without commas; use --stack for any other name.")
    return name or None


def _fits_header(text: str) -> bool:
    return text.isascii() and (text.isprintable() or not text)
