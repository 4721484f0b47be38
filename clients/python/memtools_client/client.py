"""The clients: how each is made, and how a call is sent."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from memtools_client.async_tools import AsyncTools
from memtools_client.errors import MemoryToolError
from memtools_client.retries import Retries
from memtools_client.tools import Tools
from memtools_client.wire import Scope, Transport

Reply = TypeVar("Reply")
_RETRIES = Retries()


class _Client:
    """What both clients share. One is safe to use from any number of threads, and cheap to make for another user."""

    def __init__(self, transport: Transport, scope: Scope | None = None, retries: Retries = _RETRIES) -> None:
        self._transport = transport
        self._retries = retries
        self.scope = scope or Scope()

    @classmethod
    def signed(
        cls,
        url: str,
        *,
        user: str | None = None,
        agent: str | None = None,
        region: str | None = None,
        session: Any = None,
        retries: Retries = _RETRIES,
    ) -> Self:
        """Over HTTP, signed (SigV4) with the credentials of ``session``, a boto3 Session, or those boto3 finds."""
        from memtools_client.http import HttpTransport
        from memtools_client.signing import Signed

        signing = Signed(url, region=region, session=session)
        return cls(HttpTransport(url, signing), Scope(user, agent), retries)

    @classmethod
    def with_token(cls, url: str, token: str | Callable[[], str], *, retries: Retries = _RETRIES) -> Self:
        """Over HTTP with a JWT, or what makes one; the token says who the user is."""
        from memtools_client.http import Bearer, HttpTransport

        return cls(HttpTransport(url, Bearer(token)), None, retries)

    @classmethod
    def local(cls, url: str, *, user: str | None = None, agent: str | None = None, retries: Retries = _RETRIES) -> Self:
        """Over HTTP on this machine (``make local``), unsigned."""
        from memtools_client.http import HttpTransport, Unsigned

        return cls(HttpTransport(url, Unsigned(url)), Scope(user, agent), retries)

    @classmethod
    def invoking(
        cls,
        functions: Mapping[str, str],
        *,
        user: str | None = None,
        agent: str | None = None,
        session: Any = None,
        retries: Retries = _RETRIES,
    ) -> Self:
        """By Lambda's Invoke; ``functions`` has the name or ARN of each: search, add, edit, merge."""
        from memtools_client.invoke import InvokeTransport

        return cls(InvokeTransport(functions, session=session), Scope(user, agent), retries)

    def for_user(self, user: str, agent: str | None = None) -> Self:
        """The same client for another user, over the same connections. ``agent`` stays where it is not given."""
        if not self._transport.scoped:
            raise ValueError("The token says who the user is: make a client with another token.")
        return type(self)(self._transport, Scope(user, agent or self.scope.agent), self._retries)


class MemoryClient(_Client, Tools):
    """The memory of one user, with a method for each tool.

    Each raises a MemoryToolError: InvalidArguments, Unscoped, NotFound, Ambiguous, Conflict, TooLarge or, after it has
    sent the call several times, Unavailable.
    """

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """A tool by its name, as a model calls it; arguments and reply as JSON."""
        attempts = self._retries.begin()
        while True:
            try:
                return self._transport.send(tool, arguments, self.scope)
            except MemoryToolError as error:
                time.sleep(attempts.pause_after(error))

    def _ask(self, tool: str, arguments: Mapping[str, Any], reply: Callable[[Mapping[str, Any]], Reply]) -> Reply:
        return reply(self.call(tool, arguments))


class AsyncMemoryClient(_Client, AsyncTools):
    """The same for asyncio: requests run in threads, pauses do not.

    Cancelling a call leaves its request to end in its thread. It does no harm: the same call may be sent again.
    """

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """A tool by its name, as a model calls it; arguments and reply as JSON."""
        attempts = self._retries.begin()
        while True:
            try:
                return await asyncio.to_thread(self._transport.send, tool, arguments, self.scope)
            except MemoryToolError as error:
                await asyncio.sleep(attempts.pause_after(error))

    async def _ask(self, tool: str, arguments: Mapping[str, Any], reply: Callable[[Mapping[str, Any]], Reply]) -> Reply:
        return reply(await self.call(tool, arguments))
