"""The long-term memory of ant-ai's agents: ``memtools-client[ant-ai]``, which needs Python 3.14.

    agent = Agent(name=…, system_prompt=…, llm=…, memory=MemtoolsMemory(client=AsyncMemoryClient.signed(url, agent=…)))
    await agent.ainvoke(state, ctx=InvocationContext(session_id=…, user_id="maya"))

The agent gets ``MemtoolsMemory_search`` and ``MemtoolsMemory_add``. The invocation context, which no model sees, says
who the user is. The model gets an error of the memory as a tool result that is an error.
"""

from collections.abc import Iterator, Sequence
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

_FACTS_PER_CALL: Final = 100
_MOST_HITS: Final = 100


class MemtoolsMemory(MemoryTool):
    """The memory of the user in the invocation context.

    ``client`` needs no user of its own. It cannot be one with a token, since a token says who the user is.
    """

    client: AsyncMemoryClient = Field(exclude=True)

    @override
    async def retrieve(
        self, query: str, *, top_k: int = 5, ctx: InvocationContext | None = None, **kwargs: Any
    ) -> list[Message]:
        """At most ``top_k`` facts that answer the query, best first. Without ``ctx``, give ``user_id``.

        Raises ToolError.
        """
        if not query.strip() or top_k < 1:
            return []
        with _tool_errors():
            found = await self._memory(ctx, kwargs).memory_search(query, limit=min(top_k, _MOST_HITS))
        return [Message(role="system", content=hit.content) for hit in found.results]

    @override
    async def update(self, messages: list[BaseMessage], *, ctx: InvocationContext | None = None, **kwargs: Any) -> None:
        """Remember the text of each message as one fact, unchanged. Without ``ctx``, give ``user_id``.

        Raises ToolError.
        """
        await self._remember([message.content or "" for message in messages], ctx, kwargs)

    # It has no docstring, so that the model reads that of the base class.
    @override
    async def add(self, facts: list[str], ctx: InvocationContext | None = None) -> str:
        return await self._remember(facts, ctx, {})

    async def _remember(self, texts: Sequence[str], ctx: InvocationContext | None, options: dict[str, Any]) -> str:
        """Store the texts that are not blank; what the service says it stored, a sentence for each call."""
        facts = [text for text in texts if text.strip()]
        if not facts:
            return "Nothing to save."
        with _tool_errors():
            memory = self._memory(ctx, options)
            batches = (facts[start : start + _FACTS_PER_CALL] for start in range(0, len(facts), _FACTS_PER_CALL))
            return " ".join([(await memory.memory_add(batch)).message for batch in batches])

    def _memory(self, ctx: InvocationContext | None, options: dict[str, Any]) -> AsyncMemoryClient:
        """The user's. A session is no user, so a context without one has no memory."""
        user = ctx.user_id if ctx is not None else options.get("user_id")
        if not user:
            raise ToolError(
                "No user is known for this call, so it has no memory to work on. The application has to set user_id in"
                " the invocation context."
            )
        return self.client.for_user(user)


@contextmanager
def _tool_errors() -> Iterator[None]:
    """Raise the memory's errors as ant-ai's."""
    try:
        yield
    except MemoryToolError as error:
        raise ToolError(error.message) from error
