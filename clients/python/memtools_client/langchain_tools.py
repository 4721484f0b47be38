"""The tools for LangChain's and LangGraph's agents: ``memtools-client[langgraph]``.

    tools = memory_tools(client)
    create_agent(model, tools)

The model gets an error as a ToolMessage whose status is ``error``.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from memtools_client.client import MemoryClient
from memtools_client.errors import MemoryToolError
from memtools_client.specs import specs


def memory_tools(client: MemoryClient, only: Sequence[str] | None = None) -> list[StructuredTool]:
    """The tools of one user, whom no model sees: all tools, or those named in ``only``.

    Raises ValueError for a name that no tool has.
    """
    return [_tool(client, spec) for spec in specs(only)]


def _tool(client: MemoryClient, spec: Mapping[str, Any]) -> StructuredTool:
    def call(**arguments: Any) -> str:
        try:
            return json.dumps(client.call(spec["name"], arguments), ensure_ascii=False)
        except MemoryToolError as error:
            raise ToolException(json.dumps(error.as_dict(), ensure_ascii=False)) from error

    return StructuredTool(
        name=spec["name"],
        description=spec["description"],
        args_schema=spec["input_schema"],
        func=call,
        handle_tool_error=True,
    )
