"""Anthropic's memory tool (``memory_20250818``) over this memory: ``memtools-client[anthropic]``.

    tool = MemoryTool(client, Notes(s3, bucket, agent="helper", user="maya"))
    anthropic.beta.messages.tool_runner(model=…, max_tokens=…, messages=…, tools=[tool])

/memories/MEMORY.md and /memories/USER.md are the persona documents; every other file is a note in S3. What is refused
reaches the model as a tool result with ``is_error``.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
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
    """The tool of one user, for the SDK's tool runner."""

    def __init__(self, client: MemoryClient, notes: Notes | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._files = MemoryFiles(client, notes)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or a folder."""
        with _told_as_tool_error():
            return self._files.view(_of(command, "path"), _of(command, "view_range"))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        with _told_as_tool_error():
            return self._files.create(_of(command, "path"), _of(command, "file_text"))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once; without ``new_str`` it is deleted."""
        with _told_as_tool_error():
            return self._files.str_replace(_of(command, "path"), _of(command, "old_str"), _of(command, "new_str"))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines."""
        with _told_as_tool_error():
            return self._files.insert(_of(command, "path"), _of(command, "insert_line"), _of(command, "insert_text"))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all in it."""
        with _told_as_tool_error():
            return self._files.delete(_of(command, "path"))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a note, or a folder of notes."""
        with _told_as_tool_error():
            return self._files.rename(_of(command, "old_path"), _of(command, "new_path"))


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the asynchronous runner; commands run in threads."""

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
        """Replace a text that occurs once; without ``new_str`` it is deleted."""
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines."""
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all in it."""
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a note, or a folder of notes."""
        return await asyncio.to_thread(self._tool.rename, command)


def _of(command: Any, name: str) -> object:
    """The SDK checks nothing: what a model left out is not there, whatever the types say."""
    return getattr(command, name, None)


@contextmanager
def _told_as_tool_error() -> Iterator[None]:
    try:
        yield
    except (Refused, MemoryToolError) as error:
        raise ToolError(str(error)) from error
