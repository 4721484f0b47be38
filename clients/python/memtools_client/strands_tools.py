"""The tools for Strands Agents: ``memtools-client[strands]``.

    agent = Agent(model, tools=memory_tools(client))
    agent = Agent(model, tools=memory_tools(client, user_key="user_id"))
    agent("…", invocation_state={"user_id": "maya"})

What is refused reaches the model as a tool result whose status is ``error``.
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
    """The tools, all or those named in ``only``; a model learns nothing of whose memory it is.

    With ``user_key`` one agent serves many users: the application names each by that key when it invokes the agent.
    """
    return [_tool(client, spec, user_key) for spec in specs(only)]


def _tool(client: MemoryClient, spec: Mapping[str, Any], user_key: str | None) -> PythonAgentTool:
    name = spec["name"]

    def call(tool_use: ToolUse, **invocation_state: Any) -> ToolResult:
        try:
            memory = _of_its_user(client, user_key, invocation_state)
            return _result(tool_use, "success", memory.call(name, tool_use["input"]))
        except MemoryToolError as error:
            return _result(tool_use, "error", error.as_dict())

    return PythonAgentTool(
        name,
        {"name": name, "description": spec["description"], "inputSchema": {"json": spec["input_schema"]}},
        call,
    )


def _of_its_user(client: MemoryClient, user_key: str | None, state: Mapping[str, Any]) -> MemoryClient:
    if user_key is None:
        return client
    user = state.get(user_key)
    if not isinstance(user, str):
        raise Unscoped(f"The application did not name the user: it has to give {user_key} when it invokes the agent.")
    return client.for_user(user)


def _result(tool_use: ToolUse, status: ToolResultStatus, told: Mapping[str, Any]) -> ToolResult:
    text = json.dumps(told, ensure_ascii=False)
    return {"toolUseId": tool_use["toolUseId"], "status": status, "content": [{"text": text}]}
