"""Whom the emulator answers: who knows the key of this start. The standard library alone: ministack runs this, too."""

import hmac
import os
import re
import secrets
from collections.abc import Mapping
from typing import Final

from memtools_cli.service.guard import THIS_MACHINE, is_here

KEY_SETTING: Final = "MEMTOOLS_EMULATOR_KEY"
# The access key id of this process's own clients. A process that it starts is told.
KEY: Final = os.environ.get(KEY_SETTING) or f"local-{secrets.token_hex(16)}"

# This machine, as a container calls it (docs/sam-local.md).
_FROM_CONTAINERS: Final = "host.docker.internal"
_CREDENTIAL: Final = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/,\s]+)/")


def by_own_client(headers: Mapping[str, str], port: int) -> bool:
    """Whether the emulator answers: a client with the key asks, and no browser."""
    found = _CREDENTIAL.match(headers.get("authorization", ""))
    return (
        found is not None
        and hmac.compare_digest(found[1].encode(), KEY.encode())
        and is_here(headers.get("host", "").lower(), port, (*THIS_MACHINE, _FROM_CONTAINERS))
        and not any(name == "origin" or name.startswith(("sec-fetch-", "access-control-")) for name in headers)
    )
