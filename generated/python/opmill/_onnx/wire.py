"""Reads the large initializers of a model past protobuf, which would copy them twice.

Walks the three outermost messages of protobuf's encoding, model, graph and tensor, and leaves out
the field ``raw_data`` of large tensors: its bytes are read into arrays. What remains is a small
message that onnx parses and that decides about everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

Block = NDArray[np.uint8]
"""The bytes of a tensor, at an address that suits all element types."""

_MIN_BYTES = 1 << 16
"""The size from which on the data of a tensor are read on their own."""

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
"""The numbers of the fields, of a model, a graph and a tensor."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Kinds of fields."""

_MAX_FIELDS = 1 << 18
"""The number of fields after which protobuf reads all: it is faster where they are small."""

_ALIGNMENT = 64

_MAX_VARINT = 10
"""The number of bytes of the longest integer."""

_Take = Callable[[int, int], bytes | None]
"""Is called with the number of a field and its length: reads it and returns what it becomes, or
reads nothing and returns ``None``."""


class _Unusual(Exception):
    """The encoding is left to protobuf: it is damaged, long, or repeats what occurs once."""


def split(file: BinaryIO) -> tuple[bytes, dict[int, Block]] | None:
    """A model without the data of its large initializers, and these by their positions.

    Args:
        file: the model in protobuf's encoding, at its beginning.

    Returns:
        ``None`` where protobuf has to decide what the bytes mean.
    """
    file.seek(0, 2)
    size = file.tell()
    file.seek(0)
    try:
        return _Walk(file).model(size)
    except _Unusual:
        return None


class _Walk:
    """Reads a model from its beginning to its end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._count = self._graphs = self._initializers = 0
        self._blocks: dict[int, Block] = {}

    def model(self, size: int) -> tuple[bytes, dict[int, Block]]:
        return self._fields(size, self._of_model), self._blocks

    def _of_model(self, number: int, length: int) -> bytes | None:
        if number != _GRAPH:
            return None
        self._graphs += 1
        if self._graphs > 1:  # which protobuf merges
            raise _Unusual
        return self._fields(self._at + length, self._of_graph)

    def _of_graph(self, number: int, length: int) -> bytes | None:
        if number != _INITIALIZER:
            return None
        self._initializers += 1
        if length < _MIN_BYTES:
            return None
        return self._fields(self._at + length, self._of_tensor)

    def _of_tensor(self, number: int, length: int) -> bytes | None:
        position = self._initializers - 1
        if number != _RAW_DATA:
            return None
        if position in self._blocks:  # of which the last one counts
            raise _Unusual
        if length < _MIN_BYTES:
            return None
        self._blocks[position] = self._block(length)
        return b""

    def _fields(self, end: int, take: _Take) -> bytes:
        """The fields of a message up to its end, with what becomes of them."""
        parts: list[bytes] = []
        while self._at < end:
            self._count += 1
            if self._count > _MAX_FIELDS:
                raise _Unusual
            key = self._varint()
            kind = key & 7
            if kind == _BYTES:
                length = self._varint()
                if length > end - self._at:
                    raise _Unusual
                taken = take(key >> 3, length)
                contents = self._read(length) if taken is None else taken
                parts += (_encoded(key), _encoded(len(contents)), contents)
            elif kind == _VARINT:
                parts += (_encoded(key), _encoded(self._varint()))
            elif kind in (_FIXED64, _FIXED32):
                parts += (_encoded(key), self._read(8 if kind == _FIXED64 else 4))
            else:
                raise _Unusual
        if self._at != end:
            raise _Unusual
        return b"".join(parts)

    def _varint(self) -> int:
        value = 0
        for position in range(_MAX_VARINT):
            (byte,) = self._read(1)
            value |= (byte & 127) << 7 * position
            if byte < 128:
                return value
        raise _Unusual

    def _read(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) != count:
            raise _Unusual
        self._at += count
        return data

    def _block(self, count: int) -> Block:
        """So many bytes in memory of their own."""
        memory = np.empty(count + _ALIGNMENT, np.uint8)
        start = -memory.ctypes.data % _ALIGNMENT
        block = memory[start : start + count]
        unread = memoryview(block.data)
        while len(unread):  # the system may return less than requested
            read = self._file.readinto(unread)  # type: ignore[attr-defined]
            if not read:
                raise _Unusual
            unread = unread[read:]
        self._at += count
        return block


def _encoded(value: int) -> bytes:
    """An integer as protobuf writes it."""
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
