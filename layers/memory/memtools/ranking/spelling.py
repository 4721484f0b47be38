"""Terms that differ by one slip of the finger."""

import numpy as np
from numpy.typing import NDArray

_SHORTEST = 5  # letters; of shorter words too many others are one slip away


def slips(keys: NDArray[np.bytes_], term: bytes) -> NDArray[np.bytes_]:
    """Those of the sorted ``keys`` that begin like ``term`` and are one slip away from it.

    A slip is a byte more, less or else, or two that changed places (F. Damerau, "A technique for computer detection and
    correction of spelling errors", 1964). The first letter is seldom wrong (J. Pollock and A. Zamora, "Automatic
    spelling correction in scientific and scholarly text", 1984); to rely on it leaves a twentieth of the keys to look
    at.
    """
    size = keys.dtype.itemsize
    if len(term.decode()) < _SHORTEST or len(term) >= size:
        return keys[:0]
    first, last = np.searchsorted(keys, np.array([term[:1], term[:1] + b"\xff"], keys.dtype))
    near = keys[first:last]
    letters = near.view(np.uint8).reshape(len(near), size)
    sought = np.frombuffer(term.ljust(size, b"\0"), np.uint8)
    other = letters != sought
    rows = np.arange(len(near))
    start = other.argmax(axis=1)
    ends_alike = size - 1 - start
    more = _alike_at_end(letters[:, 1:], sought[:-1]) >= ends_alike
    less = _alike_at_end(letters[:, :-1], sought[1:]) >= ends_alike
    after = np.minimum(start + 1, size - 1)
    swapped = (letters[rows, start] == sought[after]) & (letters[rows, after] == sought[start])
    one, two = (other.sum(axis=1) == number for number in (1, 2))
    found: NDArray[np.bytes_] = near[one | more | less | (two & swapped)]
    return found


def _alike_at_end(letters: NDArray[np.uint8], sought: NDArray[np.uint8]) -> NDArray[np.intp]:
    """How many letters at the end are the same."""
    other = letters[:, ::-1] != sought[::-1]
    alike: NDArray[np.intp] = np.where(other.any(axis=1), other.argmax(axis=1), letters.shape[1])
    return alike
