"""The tools for Strands Agents: ``memtools-client[strands]``.

    agent = Agent(model, tools=memory_tools(client))
    agent = Agent(model, tools=memory_tools(client, user_key="user_id"))
    agent("…", invocation_state={"user_id": "maya"})

The model gets an error as a tool result whose status is ``error``.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from strands.tools import PythonAgentTool
from strands.types.tools import ToolResult, ToolResultStatus, ToolUse

from memtools_client.client import MemoryClient
from memtools_client.errors import MemoryToolError, Unscoped
from memtools_client.specs import specs


def memory_tools(
    client: MemoryClient, only: Sequence[str] | None = None, *, user_key: str | None = None
) -> list[PythonAgentTool]:
    """All tools, or those named in ``only``. No model sees whose memory they use.

    With ``user_key`` one agent serves many users: the application gives each user under this key in the
    ``invocation_state``. Without it the tools use the memory of the client's user.

    Raises ValueError for a name that no tool has.
    """
    return [_tool(client, spec, user_key) for spec in specs(only)]


def _tool(client: MemoryClient, spec: Mapping[str, Any], user_key: str | None) -> PythonAgentTool:
    name = spec["name"]

    def call(tool_use: ToolUse, **invocation_state: Any) -> ToolResult:
        try:
            memory = _for_user(client, user_key, invocation_state)
            return _result(tool_use, "success", memory.call(name, tool_use["input"]))
        except MemoryToolError as error:
            return _result(tool_use, "error", error.as_dict())

    return PythonAgentTool(
        name,
        {"name": name, "description": spec["description"], "inputSchema": {"json": spec["input_schema"]}},
        call,
    )


def _for_user(client: MemoryClient, user_key: str | None, state: Mapping[str, Any]) -> MemoryClient:
    if user_key is None:
        return client
    user = state.get(user_key)
    if not isinstance(user, str):
        raise Unscoped(f"The application did not name the user: it has to give {user_key} when it invokes the agent.")
    return client.for_user(user)


def _result(tool_use: ToolUse, status: ToolResultStatus, content: Mapping[str, Any]) -> ToolResult:
    text = json.dumps(content, ensure_ascii=False)
    return {"toolUseId": tool_use["toolUseId"], "status": status, "content": [{"text": text}]}
