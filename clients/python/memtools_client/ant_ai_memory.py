"""The long-term memory of ant-ai's agents: ``memtools-client[ant-ai]``, which needs Python 3.14.

    agent = Agent(name=…, system_prompt=…, llm=…, memory=MemtoolsMemory(client=AsyncMemoryClient.signed(url, agent=…)))
    await agent.ainvoke(state, ctx=InvocationContext(session_id=…, user_id="maya"))

The agent gets ``MemtoolsMemory_search`` and ``MemtoolsMemory_add``. Whose memory it is comes from the invocation
context, which no model sees. What is refused reaches the model as a tool result that is an error.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ant_ai.core.message import BaseMessage, Message
from ant_ai.core.types import InvocationContext
from ant_ai.tools import ToolError
from ant_ai.tools.builtins.memory_tool import MemoryTool
from pydantic import Field
from typing_extensions import override

from memtools_client.client import AsyncMemoryClient
from memtools_client.errors import MemoryToolError

_MOST_FACTS: Final = 100
_MOST_FOUND: Final = 100


class MemtoolsMemory(MemoryTool):
    """The memory of whoever the invocation context names.

    ``client`` is one for no user in particular. With a token, which says who the user is, it takes no part in this:
    use another client for each.
    """

    client: AsyncMemoryClient = Field(exclude=True)

    @override
    async def retrieve(
        self, query: str, *, top_k: int = 5, ctx: InvocationContext | None = None, **kwargs: Any
    ) -> list[Message]:
        """At most ``top_k`` facts that answer the query, best first. Without ``ctx``, ``user_id`` names the user."""
        if not query.strip() or top_k < 1:
            return []
        with _told_as_tool_error():
            memory = self._memory(ctx, kwargs)
            found = await memory.memory_search(query, limit=min(top_k, _MOST_FOUND))
        return [Message(role="system", content=hit.content) for hit in found.results]

    @override
    async def update(self, messages: list[BaseMessage], *, ctx: InvocationContext | None = None, **kwargs: Any) -> None:
        """Each message's text is remembered as one fact, as it stands; blank ones are dropped."""
        facts = [message.content for message in messages if message.content and message.content.strip()]
        with _told_as_tool_error():
            memory = self._memory(ctx, kwargs)
            for start in range(0, len(facts), _MOST_FACTS):
                await memory.memory_add(facts[start : start + _MOST_FACTS])

    # Without a docstring of its own: the model reads that of the class above.
    @override
    async def add(self, facts: list[str], ctx: InvocationContext | None = None) -> str:
        told: str = await super().add([fact for fact in facts if fact.strip()], ctx=ctx)
        return told

    def _memory(self, ctx: InvocationContext | None, named: dict[str, Any]) -> AsyncMemoryClient:
        """One user's; never one that several share, which is why a session is nobody."""
        user = ctx.user_id if ctx is not None else named.get("user_id")
        if not user:
            raise ToolError(
                "No user is known for this call, so it has no memory to work on. The application has to set user_id in"
                " the invocation context."
            )
        return self.client.for_user(user)


@contextmanager
def _told_as_tool_error() -> Iterator[None]:
    try:
        yield
    except MemoryToolError as error:
        raise ToolError(error.message) from error
