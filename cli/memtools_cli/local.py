"""A memory in a file on this machine: its tools in this process, and its archive."""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from memtools.adapters.sqlite.archive import FileArchive
from memtools.adapters.sqlite.file import MemoryFile
from memtools.catalogue import TOOLS
from memtools.config import Settings
from memtools.current_call import running_call
from memtools.domain.scope import Scope as Owner
from memtools.errors import ToolError
from memtools.wiring import backend_of
from memtools_client import MemoryClient
from memtools_client.errors import error_of
from memtools_client.wire import Scope

_FILE: Final = "memory.db"

# As in the template: the model's matrices are small, and a second thread costs more time than it saves. numpy reads it
# when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def settings_of(folder: str) -> Settings:
    """The settings of the memory in the folder."""
    return Settings.local(Path(folder).expanduser().resolve() / _FILE)


def archive_in(folder: str) -> FileArchive:
    """The archive of the memory in the folder."""
    settings = settings_of(folder)
    assert settings.file
    return FileArchive(MemoryFile(settings.file), timedelta(days=settings.retention_days))


def problems_in(file: Path) -> list[str]:
    """What SQLite finds wrong with the file. Raises ToolError where it cannot be read."""
    return MemoryFile(file).problems()


def client_in(folder: str, owner: Owner) -> MemoryClient:
    """A client that runs the tools in this process, on the memory in the folder."""
    return MemoryClient(InProcess(settings_of(folder)), Scope(owner.user, owner.agent))


class InProcess:
    """A Connection to the tools in this process."""

    scoped = True

    def __init__(self, settings: Settings) -> None:
        self._backend = backend_of(settings)

    def send(self, tool: str, arguments: Mapping[str, Any], scope: Scope, key: str) -> Mapping[str, Any]:
        """See Connection."""
        if tool not in TOOLS:
            raise error_of("not_found", f"Unknown tool. There are {', '.join(TOOLS)}.", {"tools": list(TOOLS)})
        try:
            with running_call():
                owner = Owner(scope.agent or "", scope.user or "")
                return TOOLS[tool].call(self._backend, owner, dict(arguments), key).as_dict()
        except ToolError as error:
            raise error_of(error.code, error.message, dict(error.details)) from None
