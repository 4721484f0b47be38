"""The names of writes. What a call writes keeps the write's name, so that the same call, sent again, finds it there."""

from collections.abc import Sequence

from memtools.domain.scope import Scope
from memtools.domain.text import digest
from memtools.errors import InvalidArguments

# On a trace or a document, so a call is known through the next 31 writes of others. S3 allows 2 KB of metadata.
KEPT = 32
NAME_LENGTH = 20
_KEY_LENGTH = 12  # the part of a name that stands for the key; the rest stands for the arguments


def name_of(scope: Scope, tool: str, key: str, arguments: str) -> str:
    """The name of the write of a call with an idempotency key."""
    return digest(scope.key, tool, key)[:_KEY_LENGTH] + digest(arguments)[: NAME_LENGTH - _KEY_LENGTH]


def call_of(name: str) -> str:
    """The part of a name that is the same for all calls with one key."""
    return name[:_KEY_LENGTH]


def with_name(name: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """The names of the last writes after one more, newest first."""
    return (name, *earlier)[:KEPT]


def writes_since(name: str, names: Sequence[str]) -> int | None:
    """How many writes have followed the one with this name; None if it is not among ``names``, which are newest first.

    Raises InvalidArguments if its key came with other arguments before.
    """
    if name in names:
        return names.index(name)
    if any(call_of(one) == call_of(name) for one in names):
        raise InvalidArguments(
            "The idempotency key of this call was used before, with other arguments. Nothing was done. Send a key only"
            " to repeat the same call; give each new call a new key.",
            argument="idempotencyKey",
        )
    return None
