"""A segment: a scope's columns as bytes that are read in place, and the time at which the table was read for them.

The format, with numbers in little-endian: eight bytes of magic, four of CRC-32 over everything after it, four of the
header's length, the header in JSON, then the arrays. Header and arrays are padded to a multiple of eight bytes.
"""

import json
from binascii import crc32
from dataclasses import dataclass, fields
from datetime import datetime
from math import prod
from struct import Struct
from typing import Any

import numpy as np

from memtools.ranking.columns import Columns
from memtools.ranking.postings import Postings

# Increment the number if the meaning of the bytes changes, or the terms of a text do.
_FORMAT = b"memseg02"
_CHECKSUM = _LENGTH = Struct("<I")
_CHECKED = len(_FORMAT) + _CHECKSUM.size
_HEADER = _CHECKED + _LENGTH.size
_ALIGNMENT = 8


class Unusable(ValueError):
    """The bytes are not a segment of this format and model, or they are damaged."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The columns, with every change that the table had at ``read_at``."""

    columns: Columns
    read_at: datetime

    def to_bytes(self) -> bytes:
        """The bytes that `of_bytes` reads."""
        arrays = dict(self.columns.arrays())
        header = json.dumps(
            {
                "model": self.columns.model,
                "readAt": self.read_at.isoformat(),
                "names": {key.hex(): name for key, name in self.columns.names.items()},
                "arrays": {name: [array.dtype.str, array.shape] for name, array in arrays.items()},
            }
        ).encode()
        parts = [_LENGTH.pack(len(header)), _padded(header)]
        parts += [_padded(array.tobytes()) for array in arrays.values()]
        checksum = 0
        for part in parts:
            checksum = crc32(part, checksum)
        return b"".join([_FORMAT, _CHECKSUM.pack(checksum), *parts])

    @classmethod
    def of_bytes(cls, data: bytes, model: str) -> "Segment":
        """The segment in ``data``, which must be `intact`. Its arrays are views of ``data``.

        Raises Unusable if its vectors are not from ``model``, and for whatever else no segment of this format has: an
        index can be made anew, so nothing in it is worth an error.
        """
        try:
            segment = cls._parsed(data)
            usable = segment.columns.model == model and segment.read_at.tzinfo and _is_sound(segment.columns)
        except Exception as error:
            raise Unusable("no segment of this format") from error
        if not usable:
            raise Unusable("of another model, or not as it was written")
        return segment

    @classmethod
    def _parsed(cls, data: bytes) -> "Segment":
        (length,) = _LENGTH.unpack_from(data, _CHECKED)
        header = json.loads(data[_HEADER : _HEADER + length])
        arrays = {}
        offset = _HEADER + _aligned(length)
        for name, (kind, shape) in header["arrays"].items():
            arrays[name] = np.frombuffer(data, kind, prod(shape), offset).reshape(shape)
            offset += _aligned(arrays[name].nbytes)
        names = {bytes.fromhex(key): name for key, name in header["names"].items()}
        return cls(_columns(header["model"], arrays, names), datetime.fromisoformat(header["readAt"]))


def _is_sound(columns: Columns) -> bool:
    """Whether the arrays have the types, the sizes and the order that an index relies on."""
    expected = {name: array.dtype for name, array in Columns.of([], "").arrays()}
    if {name: array.dtype for name, array in columns.arrays()} != expected:
        return False
    rows, dimensions = columns.vectors.shape
    by_row = (columns.keys, columns.versions, columns.when, columns.created, columns.expires, columns.passages)
    return bool(
        all(array.shape == (rows,) for array in (*by_row, columns.norms))
        and columns.total.shape == (dimensions,)
        and columns.signs.shape == (-(-dimensions // 64), rows)
        # A vector of whole numbers that is not zero has at least length 1; a sum of directions at most one each.
        and (
            (columns.norms == -1) | (columns.norms == 0) | ((columns.norms >= 1) & (columns.norms <= 128 * dimensions))
        ).all()
        and (np.abs(columns.total) <= rows).all()
        and (np.diff(columns.when) >= 0).all()
        and all(isinstance(name, str) for name in columns.names.values())
        and (columns.passages > 0).all()
        and columns.lengths.shape == (columns.passages.sum(dtype=np.int64),)
        and _points_into(columns.terms, len(columns.lengths))
        and _points_into(columns.tags, rows)
    )


def _points_into(postings: Postings, rows: int) -> bool:
    """Whether the lists are within their array, and what they list within ``rows``."""
    starts = postings.starts.astype(np.int64)
    return bool(
        starts.shape == (len(postings.keys) + 1,)
        and postings.rows.shape == postings.counts.shape == (starts[-1],)
        and starts[0] == 0
        and (np.diff(starts) >= 0).all()
        and (postings.keys[:-1] < postings.keys[1:]).all()
        and (postings.rows < rows).all()
    )


def intact(data: bytes) -> bool:
    """Whether these are the undamaged bytes of a segment in this format."""
    if not data.startswith(_FORMAT) or len(data) < _HEADER:
        return False
    return _CHECKSUM.unpack_from(data, len(_FORMAT)) == (crc32(memoryview(data)[_CHECKED:]),)


def _columns(model: str, arrays: dict[str, Any], names: dict[bytes, str]) -> Columns:
    parts: dict[str, Any] = {
        name: Postings(**{field.name: arrays.pop(f"{name}.{field.name}") for field in fields(Postings)})
        for name in ("terms", "tags")
    }
    return Columns(model=model, names=names, **arrays, **parts)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _padded(data: bytes) -> bytes:
    return data.ljust(_aligned(len(data)), b"\0")
