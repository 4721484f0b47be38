"""When two texts are the same fact, and digests of texts."""

import hashlib
import re
import unicodedata

_WHITESPACE = re.compile(r"\s+")


def fold(text: str) -> str:
    """The form in which facts are compared: NFC, trimmed, runs of white space as one space, case folded.

    Case folding can undo NFC (``"ǰ"`` becomes two code points), so it is normalised once more.
    """
    normal = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFC", _WHITESPACE.sub(" ", normal.strip()).casefold())


def digest(*parts: str) -> str:
    """32 hexadecimal digits of BLAKE2b over the parts, each after its length, so that no two lists share a digest."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "big") + data)
    return state.hexdigest()
