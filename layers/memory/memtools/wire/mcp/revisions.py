"""The revisions of the protocol: which one a message speaks.

Since 2026-07-28 every request says its revision in ``_meta``, and nothing is remembered between requests. Older
clients agree on a revision by ``initialize``. All older ones get the same replies, so that is not remembered either.
"""

from typing import Any, Final

from memtools.wire.incoming import printable
from memtools.wire.mcp.jsonrpc import INVALID_PARAMS, Message, Refused

CURRENT: Final = "2026-07-28"
# Newest first.
OLDER: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
SUPPORTED: Final = (CURRENT, *OLDER)

UNSUPPORTED_VERSION: Final = -32022
_PREFIX: Final = "io.modelcontextprotocol/"
VERSION: Final = f"{_PREFIX}protocolVersion"
SERVER: Final = f"{_PREFIX}serverInfo"
_CAPABILITIES: Final = f"{_PREFIX}clientCapabilities"


def is_current(message: Message) -> bool:
    """Whether the message speaks the current revision. Raises Refused for one that is unknown or incomplete."""
    if VERSION not in message.meta:
        # Only the current revision has this method, so that a client learns what it left out.
        if message.method == "server/discover":
            raise Refused(INVALID_PARAMS, f"`_meta` must have `{VERSION}` and `{_CAPABILITIES}`.")
        return False
    version = message.meta[VERSION]
    if not isinstance(version, str):
        raise Refused(INVALID_PARAMS, f"`_meta.{VERSION}` must be the name of a revision.")
    if version != CURRENT:
        raise unsupported(version)
    if not isinstance(message.meta.get(_CAPABILITIES), dict):
        raise Refused(INVALID_PARAMS, f"`_meta.{_CAPABILITIES}` must be an object.")
    return True


def unsupported(version: str) -> Refused:
    """The error for a revision that this server does not speak."""
    return Refused(
        UNSUPPORTED_VERSION,
        f"This server speaks {', '.join(SUPPORTED)}.",
        supported=list(SUPPORTED),
        requested=printable(version)[:100],
    )


def agreed(wanted: Any) -> str:
    """The revision for a client that begins with ``initialize``: its own, or else the newest of that kind."""
    return wanted if wanted in OLDER else OLDER[0]
