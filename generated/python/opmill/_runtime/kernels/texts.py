"""The texts of string arrays, of which NumPy has several kinds."""

from __future__ import annotations

import numpy as np

from opmill._runtime.errors import ContentsError, cut
from opmill._runtime.rule_support import listed
from opmill._runtime.types import Array


def texts_of(array: Array, name: str) -> Array:
    """The array as objects that are ``str``; bytes are UTF-8.

    Args:
        array: strings in any of NumPy's kinds.
        name: the input, for messages.

    Raises:
        ContentsError: bytes are not UTF-8.
    """
    result: Array = np.empty(array.shape, object)
    flat = result.reshape(-1)
    for position, one in enumerate(array.reshape(-1).tolist()):
        try:
            flat[position] = one.decode("utf-8") if isinstance(one, bytes) else str(one)
        except UnicodeDecodeError:
            where = element_name(name, position, array.shape)
            raise ContentsError(f"{where} is {cut(repr(one), 60)}, expected UTF-8") from None
    return result


def alike(A: Array, B: Array) -> tuple[Array, Array]:
    """The arrays; as objects that are ``str`` where NumPy does not compare their strings.

    Raises:
        ContentsError: bytes are not UTF-8.
    """
    if A.dtype.kind == B.dtype.kind != "O":
        return A, B
    return texts_of(A, "A"), texts_of(B, "B")


def element_name(name: str, position: int, shape: tuple[int, ...]) -> str:
    """An element of an input in messages, as ``X[0, 2]``, from its position in C order."""
    index = [int(i) for i in np.unravel_index(position, shape)]
    return f"{name}{listed(index) if index else ''}"
