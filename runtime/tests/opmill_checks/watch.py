"""Arrays under watch: inputs in every layout that NumPy has, and output buffers between guards.

Each remembers the memory under it, gaps and surroundings too, and tells whether any of it changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill_checks.value import STRING_KINDS, TYPES, TypedList, dtype_of, items_of, type_of

GUARD = 16
"""Number of elements before and after an output buffer."""


class Watched:
    """An input, and its memory as it was.

    Args:
        array: what the operator is given.
        memory: the array that ``array`` is a view of, where it is one.
    """

    def __init__(self, array: NDArray[Any], memory: NDArray[Any] | None = None) -> None:
        self.array = array
        self.memory = array if memory is None else memory
        self.contents = contents(self.memory)
        self.header = header(array)

    def assert_unchanged(self, what: str) -> None:
        if header(self.array) != self.header:
            raise AssertionError(f"{what}: its shape, strides, type or flags were changed")
        if contents(self.memory) != self.contents:
            raise AssertionError(f"{what}: its memory was written to")


class WatchedList:
    """A sequence of inputs, and the memory of each as it was.

    Args:
        arrays: what the operator is given, copied first.
    """

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self.parts = [Watched(array.copy()) for array in arrays]
        arrays_given = [part.array for part in self.parts]
        self.array = TypedList(arrays_given, getattr(arrays, "dtype", None))
        self.given = list(self.array)

    def assert_unchanged(self, what: str) -> None:
        if len(self.array) != len(self.given) or any(
            one is not other for one, other in zip(self.array, self.given, strict=True)
        ):
            raise AssertionError(f"{what}: the list was changed")
        for position, part in enumerate(self.parts):
            part.assert_unchanged(f"{what}, element {position}")


def contents(array: NDArray[Any]) -> object:
    """All that the memory of an array holds."""
    return array.tolist() if array.dtype.kind in "OT" else array.tobytes()


def header(array: NDArray[Any]) -> object:
    """All that an array says of its memory."""
    return array.shape, array.strides, array.dtype.str, array.flags.writeable


# Layouts: each gives a watched input with the same elements, or None where nothing would change


MAX_STRETCHED = 9
"""The most axes along which an array is given gaps."""


def plain(array: NDArray[Any]) -> Watched | None:
    return Watched(array.copy())


def read_only(array: NDArray[Any]) -> Watched | None:
    copy = array.copy()
    copy.setflags(write=False)
    return Watched(copy)


def strided(array: NDArray[Any]) -> Watched | None:
    """Every second element along each axis of a larger array, with other values between.

    Of very many axes only the last ones: each that is stretched makes the array larger.
    """
    if array.ndim == 0 or array.size == 0:
        return None
    leading, stretched = array.shape[:-MAX_STRETCHED], array.shape[-MAX_STRETCHED:]
    memory = np.empty([*leading, *(2 * dim + 1 for dim in stretched)], array.dtype)
    poison(memory, 0)
    view = memory[(..., *(slice(1, None, 2),) * len(stretched))]
    view[...] = array
    return Watched(view, memory)


def reversed_axes(array: NDArray[Any]) -> Watched | None:
    """Negative strides along each axis."""
    if array.ndim == 0:
        return None
    backwards = (slice(None, None, -1),) * array.ndim
    memory = array[backwards].copy()
    return Watched(memory[backwards], memory)


def transposed(array: NDArray[Any]) -> Watched | None:
    """The first axis fastest in memory, as in Fortran."""
    return Watched(np.asfortranarray(array.copy())) if array.ndim > 1 else None


def unaligned(array: NDArray[Any]) -> Watched | None:
    """One byte off the alignment of its type."""
    if array.dtype.kind in "OT" or array.dtype.itemsize == 1:
        return None
    memory = np.zeros(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return Watched(view, memory)


def byte_swapped(array: NDArray[Any]) -> Watched | None:
    """The other byte order, which the types of ml_dtypes do not have."""
    if array.dtype.kind in "OTV" or array.dtype.newbyteorder("S").isnative:
        return None
    return Watched(array.byteswap().view(array.dtype.newbyteorder("S")))


LAYOUTS: dict[str, Callable[[NDArray[Any]], Watched | None]] = {
    "plain": plain,
    "read-only": read_only,
    "strided": strided,
    "reversed": reversed_axes,
    "transposed": transposed,
    "unaligned": unaligned,
    "byte-swapped": byte_swapped,
}

# Containers: the kinds of arrays that hold strings


def fixed_width_bytes(array: NDArray[Any]) -> NDArray[Any]:
    encoded = np.empty(array.shape, object)
    encoded.reshape(-1)[:] = [text.encode("utf-8") for text in array.reshape(-1).tolist()]
    return encoded.astype("S")


CONTAINERS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "object": lambda array: array,
    "StringDType": lambda array: array.astype(np.dtypes.StringDType()),
    "fixed-width text": lambda array: array.astype("U"),
    "fixed-width bytes": fixed_width_bytes,
}


def in_container(array: NDArray[Any], container: str) -> NDArray[Any]:
    """A string array in a container, unless that would lose something. Other types as they are."""
    if array.dtype.kind not in STRING_KINDS:
        return array
    flat = array.reshape(-1)  # NumPy makes some of them from 32 axes at most
    contained = CONTAINERS[container](flat).reshape(array.shape)
    return contained if items_of(contained) == items_of(array) else array


# Output buffers


class Canary:
    """An output buffer between guards, filled with a pattern.

    Args:
        type: the element type.
        shape: the shape of the buffer.
        pattern: 0 or 1. The two have no element in common, so that what is not overwritten differs
            from the expected value under one of them at least.
        step: how many elements of memory there are for one of the buffer.
    """

    def __init__(self, type: str, shape: tuple[int, ...], pattern: int, step: int = 1) -> None:
        size = math.prod(shape)
        self.memory = np.empty(GUARD + size * step + GUARD, dtype_of(type))
        poison(self.memory, pattern)
        inside = slice(GUARD, GUARD + size * step, step)
        self.array = self.memory[inside].reshape(shape)
        self.beside = np.ones(self.memory.size, bool)
        self.beside[inside] = False
        self.before = contents(self.memory), contents(self.memory[self.beside])

    def assert_guards(self, what: str) -> None:
        if contents(self.memory[self.beside]) != self.before[1]:
            raise AssertionError(f"{what}: memory beside the out= buffer was written to")

    def assert_untouched(self, what: str) -> None:
        if contents(self.memory) != self.before[0]:
            raise AssertionError(f"{what}: the out= buffer was written to")


def poison(array: NDArray[Any], pattern: int) -> None:
    """Fill a new array with one of two elements that no test expects everywhere."""
    if array.dtype.kind in STRING_KINDS:
        array[...] = ("canary", "other canary")[pattern]
    elif array.dtype.kind == "b":
        array[...] = (False, True)[pattern]
    else:
        mask = (1 << min(TYPES[type_of(array.dtype)].width, 8)) - 1
        array.view(np.uint8)[...] = (0xA5, 0x5A)[pattern] & mask
