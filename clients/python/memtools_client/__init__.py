"""The memory tools of memtools, called from Python.

    memory = MemoryClient.signed(api_url, agent="helper", user="maya")
    memory.memory_add(["Maya takes oat milk in her coffee"])
    memory.memory_search("How does she like her coffee?").results

Adapters for frameworks are modules of their own, each with an extra: ``anthropic_memory``, ``langgraph_store``,
``strands_tools``, ``ant_ai_memory``.
"""

from memtools_client.client import AsyncMemoryClient, MemoryClient
from memtools_client.errors import (
    Ambiguous,
    Conflict,
    Fault,
    InvalidArguments,
    MemoryToolError,
    NotFound,
    TooLarge,
    Unavailable,
    Unscoped,
)
from memtools_client.retries import Retries
from memtools_client.wire import Scope

__all__ = [
    "Ambiguous",
    "AsyncMemoryClient",
    "Conflict",
    "Fault",
    "InvalidArguments",
    "MemoryClient",
    "MemoryToolError",
    "NotFound",
    "Retries",
    "Scope",
    "TooLarge",
    "Unavailable",
    "Unscoped",
]
