"""Anthropic's memory tool (``memory_20250818``) over this memory: ``memtools-client[anthropic]``.

    tool = MemoryTool(client, Notes(s3, bucket, agent="helper", user="maya"))
    anthropic.beta.messages.tool_runner(model=…, max_tokens=…, messages=…, tools=[tool])

/memories/MEMORY.md and /memories/USER.md are the persona documents; every other file is a note in S3. The model gets
an error as a tool result with ``is_error``.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from memtools_client.client import MemoryClient
from memtools_client.errors import MemoryToolError
from memtools_client.files.commands import MemoryFiles
from memtools_client.files.notes import Notes
from memtools_client.files.store import Refused

__all__ = ["AsyncMemoryTool", "MemoryTool", "Notes"]


class MemoryTool(BetaAbstractMemoryTool):
    """The tool of one user, for the SDK's tool runner.

    Without ``notes`` there are the two documents alone. ``options`` go to the SDK's class. Each command raises the
    SDK's ToolError.
    """

    def __init__(self, client: MemoryClient, notes: Notes | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._files = MemoryFiles(client, notes)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or a folder."""
        return _run(self._files.view, command, "path", "view_range")

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return _run(self._files.create, command, "path", "file_text")

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once; without ``new_str`` delete it."""
        return _run(self._files.str_replace, command, "path", "old_str", "new_str")

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines."""
        return _run(self._files.insert, command, "path", "insert_line", "insert_text")

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all its files."""
        return _run(self._files.delete, command, "path")

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a note, or a folder of notes."""
        return _run(self._files.rename, command, "old_path", "new_path")


def _run(method: Callable[..., str], command: Any, *fields: str) -> str:
    """Call the method with these fields of the command. The SDK checks nothing: what the model left out is None."""
    try:
        return method(*(getattr(command, field, None) for field in fields))
    except (Refused, MemoryToolError) as error:
        raise ToolError(str(error)) from error


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the asynchronous runner. Commands run in threads."""

    def __init__(self, client: MemoryClient, notes: Notes | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._tool = MemoryTool(client, notes)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or a folder."""
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once; without ``new_str`` delete it."""
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines."""
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all its files."""
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a note, or a folder of notes."""
        return await asyncio.to_thread(self._tool.rename, command)
