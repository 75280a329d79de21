"""Files of a model: the model itself, and tensors that it keeps in files beside it.

A model names these files, and may come from anywhere. So only regular files are read, inside of one
folder, without following links that lead out of it, and no more of them than a tensor's type and
dims ask for.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from opmill._model.errors import ModelError, check_text, shown

MAX_MODEL = (1 << 31) - 1
"""The size of a model without such files, in bytes, is at most this: protobuf's limit."""

_MAX_DIGITS = 19


@contextmanager
def open_model_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a model's file.

    Raises:
        OSError: it cannot be read.
        ModelError: it is no regular file, or too large.
    """
    with _regular(os.fspath(path), f"the model '{ascii(os.fspath(path))[1:-1]}'") as (file, size):
        if size > MAX_MODEL:
            raise ModelError(f"the model has {size} bytes, expected at most {MAX_MODEL}")
        yield BufferedReader(file)


class Folder:
    """The folder in which a model's files are.

    Args:
        path: the folder; ``None`` where the model did not come from a file.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._path = None if path is None else os.path.realpath(path)

    def read(self, tensor: TensorProto, what: str, count: int) -> NDArray[np.uint8]:
        """The bytes of a tensor that is stored in a file.

        Args:
            tensor: the tensor.
            what: what messages call it.
            count: how many bytes it has, by its type and dims.

        Raises:
            ModelError: its fields, or the file, are not what they should be.
        """
        fields = _fields(tensor, what)
        location = fields.get("location", "")
        offset = _number(fields.get("offset", "0"), f"{what}: offset")
        given = _number(fields["length"], f"{what}: length") if "length" in fields else count
        if given != count:
            raise ModelError(f"{what} has length {given}, expected {count} by its type and dims")
        with self._open(location, what) as (file, size):
            if offset > size or count > size - offset:
                raise ModelError(
                    f"{what} is bytes {offset} to {offset + count} of {shown(location)}, which "
                    f"has {size}"
                )
            file.seek(offset)
            data = np.empty(count, np.uint8)
            unread = data.data.cast("B") if count else memoryview(b"")
            while len(unread):  # the system may return less than requested
                read = file.readinto(unread)
                if not read:  # it was cut meanwhile
                    raise ModelError(f"{what}: {shown(location)} ends too early")
                unread = unread[read:]
        return data

    def copy(self, location: str, target: str | os.PathLike[str]) -> None:
        """Copy a file to another folder, where it has the same name.

        Raises:
            ModelError: the file is outside of the folder, or cannot be copied.
        """
        with self._open(location, "the model") as (file, _):
            path = os.path.join(target, location)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as copied:
                shutil.copyfileobj(file, copied)

    @contextmanager
    def _open(self, location: str, what: str) -> Iterator[tuple[FileIO, int]]:
        """A file of the folder, and its size."""
        if self._path is None:
            raise ModelError(
                f"{what} keeps its data outside of the model; give the model's path, or the folder"
            )
        words = f"{what} keeps its data in {shown(location)}, expected a file in the model's folder"
        parts = (*PurePosixPath(location).parts, *PureWindowsPath(location).parts)
        rooted = PureWindowsPath(location).drive or PureWindowsPath(location).root
        if not location or rooted or ".." in parts or "\0" in location:
            raise ModelError(words)
        path = os.path.realpath(os.path.join(self._path, location))
        if os.path.commonpath([path, self._path]) != self._path:
            raise ModelError(f"{words}, not a link that leads out of it")
        try:
            with _regular(path, f"{what}: {shown(location)}") as opened:
                yield opened
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise ModelError(f"{what} keeps its data in {shown(location)}: {reason}") from None


@contextmanager
def _regular(path: str, what: str) -> Iterator[tuple[FileIO, int]]:
    """A regular file, opened without waiting for anything, and its size."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags)
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode):
        os.close(number)
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise ModelError(f"{what} is {kind}, expected a regular file")
    with FileIO(number, "rb") as file:
        yield file, status.st_size


def _fields(tensor: TensorProto, what: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for entry in tensor.external_data:
        check_text(entry.key, f"{what}: the name of a field")
        check_text(entry.value, f"{what}: {shown(entry.key)}")
        if entry.key in fields:
            raise ModelError(f"{what}: {shown(entry.key)} is given twice")
        fields[entry.key] = entry.value
    return fields


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ModelError(f"{what} is {shown(text)}, expected a number of bytes")
    return int(text)
