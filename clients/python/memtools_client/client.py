"""The clients: how each is made, and how it sends a call."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Self, TypeVar
from uuid import uuid4

from memtools_client.retries import CALLS, Retries
from memtools_client.tools import AsyncTools, Tools
from memtools_client.wire import Connection, Scope

Reply = TypeVar("Reply")


class _Client:
    """What both clients share. Any number of threads may use one client at the same time."""

    def __init__(self, connection: Connection, scope: Scope | None = None, retries: Retries = CALLS) -> None:
        self._connection = connection
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
        retries: Retries = CALLS,
    ) -> Self:
        """Over HTTP, each request signed (SigV4).

        Args:
            url: The address of the HTTP API, the stack's output ``ApiUrl``.
            user: Whose memory it is. It goes into a header: printable ASCII without commas.
            agent: Which agent's memory of the user; without it that of the agent the deployment is set to.
            region: The API's region, where neither the address nor the session names it.
            session: A boto3 Session with the credentials; without it those that boto3 finds.
            retries: The bounds within which calls are retried.

        Raises ValueError where the address or the region cannot be used.
        """
        from memtools_client.http import HttpConnection
        from memtools_client.signing import Signed

        signing = Signed(url, region=region, session=session)
        return cls(HttpConnection(url, signing), Scope(user, agent), retries)

    @classmethod
    def with_token(cls, url: str, token: str | Callable[[], str], *, retries: Retries = CALLS) -> Self:
        """Over HTTP with a JWT, which says who the user is.

        Args:
            url: The address of the HTTP API, the stack's output ``ApiUrl``.
            token: The JWT, or a function that returns one and is called before each request.
            retries: The bounds within which calls are retried.

        Raises ValueError where the address cannot be used.
        """
        from memtools_client.http import Bearer, HttpConnection

        return cls(HttpConnection(url, Bearer(token)), None, retries)

    @classmethod
    def local(cls, url: str, *, user: str | None = None, agent: str | None = None, retries: Retries = CALLS) -> Self:
        """Over HTTP on this machine (``make local``), unsigned. The arguments are those of ``signed``.

        Raises ValueError where the address is not on this machine.
        """
        from memtools_client.http import HttpConnection, Unsigned

        return cls(HttpConnection(url, Unsigned(url)), Scope(user, agent), retries)

    @classmethod
    def invoking(
        cls,
        functions: Mapping[str, str],
        *,
        user: str | None = None,
        agent: str | None = None,
        session: Any = None,
        retries: Retries = CALLS,
    ) -> Self:
        """By Lambda's Invoke, without the HTTP API.

        Args:
            functions: The name or ARN of each function under ``search``, ``add``, ``edit`` and ``merge``; or the
                outputs of the stack by name, as they are.
            user: Whose memory it is; any name.
            agent: Which agent's memory of the user; without it that of the agent the deployment is set to.
            session: A boto3 Session; without it boto3's default.
            retries: The bounds within which calls are retried.
        """
        from memtools_client.invoke import LambdaConnection

        return cls(LambdaConnection(functions, session=session), Scope(user, agent), retries)

    def for_user(self, user: str, agent: str | None = None) -> Self:
        """A client for another user over the same connection; cheap to make. Without ``agent`` the agent is the same.

        Raises ValueError for a client with a token, since the token says who the user is.
        """
        if not self._connection.scoped:
            raise ValueError("The token says who the user is: make a client with another token.")
        return type(self)(self._connection, Scope(user, agent or self.scope.agent), self._retries)

    def _sending(self, tool: str, arguments: Mapping[str, Any], key: str | None) -> Callable[[], Mapping[str, Any]]:
        """Sends the call, with the same key each time."""
        return partial(self._connection.send, tool, arguments, self.scope, key or str(uuid4()))


class MemoryClient(_Client, Tools):
    """The memory of one user, with a method for each tool.

    Each raises a MemoryToolError: InvalidArguments, Unscoped, NotFound, Ambiguous, Conflict, TooLarge, Fault, or
    Unavailable when its retries are used up.
    """

    def call(self, tool: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Mapping[str, Any]:
        """Call a tool by its name, as a model does: arguments and reply are JSON, with names in camelCase.

        Args:
            tool: The tool's name.
            arguments: Its arguments.
            key: The idempotency key, 1 to 200 visible ASCII characters without a comma. Give one if your program may
                make the same call again, such as after a restart; without it, each call has its own.
        """
        return self._retries.run(self._sending(tool, arguments, key))

    def _ask(self, tool: str, arguments: Mapping[str, Any], reply: Callable[[Mapping[str, Any]], Reply]) -> Reply:
        return reply(self.call(tool, arguments))


class AsyncMemoryClient(_Client, AsyncTools):
    """The same for asyncio. Requests run in threads.

    Cancelling a call does not stop a request that was sent. To make such a call again safely, give both the same key.
    """

    async def call(self, tool: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Mapping[str, Any]:
        """Call a tool by its name; the arguments are those of ``MemoryClient.call``."""
        return await self._retries.run_async(partial(asyncio.to_thread, self._sending(tool, arguments, key)))

    async def _ask(self, tool: str, arguments: Mapping[str, Any], reply: Callable[[Mapping[str, Any]], Reply]) -> Reply:
        return reply(await self.call(tool, arguments))
