"""The scope of a call: one agent and one user."""

from dataclasses import dataclass
from urllib.parse import quote

from memtools.errors import Unscoped

# An S3 key has at most 1,024 bytes; two names of this size leave room for the folders and the file's name.
_ENCODED_LIMIT = 400


def _encode(name: str) -> str:
    """Percent-encode a name uniquely; dots too, because some HTTP clients treat ``..`` as a path."""
    return quote(name, safe="").replace(".", "%2E")


@dataclass(frozen=True, slots=True)
class Scope:
    """One agent and one user, as the caller's infrastructure names them. Names are compared byte by byte.

    Raises:
            Unscoped: a name is empty, blank, not text, or longer than 400 bytes when percent-encoded.
    """

    agent: str
    user: str

    def __post_init__(self) -> None:
        for kind, name in (("agent", self.agent), ("user", self.user)):
            if not isinstance(name, str) or not name.strip():
                raise Unscoped(
                    f"The {kind} of this call is unknown, so there is no memory to use. The application that invokes"
                    f" the tool must set the {kind}. It cannot be an argument.",
                    missing=kind,
                )
            try:
                size = len(_encode(name))
            except UnicodeEncodeError:
                raise Unscoped(f"The name of the {kind} is not valid text.", invalid=kind) from None
            if size > _ENCODED_LIMIT:
                raise Unscoped(
                    f"The name of the {kind} is too long; the limit is {_ENCODED_LIMIT} bytes, percent-encoded.",
                    invalid=kind,
                    limit=_ENCODED_LIMIT,
                )

    @property
    def key(self) -> str:
        """The scope as one key, which is unique because neither part can contain a slash."""
        return f"{self.agent_path}/{_encode(self.user)}"

    @property
    def agent_path(self) -> str:
        """The agent as one part of a path."""
        return _encode(self.agent)

    @property
    def user_path(self) -> str:
        """The user as one part of a path."""
        return _encode(self.user)
