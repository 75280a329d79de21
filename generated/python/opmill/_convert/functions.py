"""Functions that expressions of an entry can call, beside those about the values of its call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from ml_dtypes import finfo

from opmill._convert.facts import WORDS, Refusal, Value, typed
from opmill._convert.fourier import fourier_filters, fourier_matrix, fourier_reads
from opmill._convert.windows import new_counts, old_counts, windows
from opmill._runtime.types import number_of_element

_MAX_ELEMENTS = 1 << 24
"""Maximum number of elements of a constant that an entry makes."""


def swapped(rank: int, axis: int) -> list[int]:
    """The permutation that exchanges an axis with the last one."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


def to_front(rank: int, axis: int) -> list[int]:
    """The permutation that moves an axis to the front."""
    return [axis % rank, *(k for k in range(rank) if k != axis % rank)]


def from_front(rank: int, axis: int) -> list[int]:
    """The permutation that moves the first axis to a position."""
    order = list(range(1, rank))
    order.insert(axis % rank, 0)
    return order


def chained(items: Sequence[Any], first: str, last: str) -> list[tuple[Any, str, str]]:
    """Items with the names of the values that each reads and writes, one after the other."""
    names = [first, *(f"{last}_{k}" for k in range(1, len(items))), last]
    return list(zip(items, names, names[1:], strict=False))


def spread(axes: Sequence[int], pads: Sequence[int], rank: int) -> list[int]:
    """Padding of some axes as padding of all of them."""
    found = [0] * (2 * rank)
    for at, axis in enumerate(axes):
        found[axis % rank] = pads[at]
        found[axis % rank + rank] = pads[at + len(axes)]
    return found


def parts(size: int, count: int) -> list[int]:
    """The sizes of parts that are equal but for the last one."""
    each = -(-size // count)
    return [max(0, min(each, size - each * k)) for k in range(count)]


def fits(dims: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether a shape can be broadcast to another one."""
    pairs = zip(reversed(dims), reversed(other), strict=False)
    return len(other) <= len(dims) and all(two in (1, one) for one, two in pairs)


def positive(axes: Sequence[int], rank: int) -> list[int]:
    """Axes that count from the start."""
    return [axis + rank if axis < 0 else axis for axis in axes]


def single(value: Any) -> Any:
    """The only number of a nested list."""
    while isinstance(value, list):
        (value,) = value
    return value


def filled(dims: Sequence[int], element: float | str, word: str) -> np.ndarray[Any, Any]:
    """An array of one number, or of one text."""
    if math.prod(dims) > _MAX_ELEMENTS:
        raise Refusal(f"a constant of dims {list(dims)} is too large")
    return np.broadcast_to(typed(element, word), tuple(dims)).copy()


def identity(size: int, word: str) -> np.ndarray[Any, Any]:
    """A matrix with ones on its diagonal."""
    if size * size > _MAX_ELEMENTS:
        raise Refusal(f"an axis of {size} elements is too long for a matrix")
    return typed(np.eye(size), word)


def turned(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A matrix whose rows and columns are exchanged."""
    return np.ascontiguousarray(matrix.T)


def reshaped(array: np.ndarray[Any, Any], dims: Sequence[int]) -> np.ndarray[Any, Any]:
    """An array with other dims."""
    return array.reshape(tuple(dims))


def codes(data: np.ndarray[Any, Any], bits: int, count: int) -> np.ndarray[Any, Any]:
    """The codes of a few bits that lie in the bytes of each row, the low bits of a byte first.

    Args:
        data: bytes, whose last axis is a row.
        bits: the bits of a code, a divisor of 8.
        count: the number of codes of a row.
    """
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    found = (data[..., None] >> shifts) & np.uint8((1 << bits) - 1)
    rows: np.ndarray[Any, Any] = found.reshape(*data.shape[:-1], -1)[..., :count]
    return rows


def picked(array: np.ndarray[Any, Any], indices: Any) -> np.ndarray[Any, Any]:
    """Elements of the last axis."""
    found: np.ndarray[Any, Any] = np.take(array, indices, axis=-1)
    return found


def triangle(rows: int, columns: int, diagonal: int, upper: int) -> np.ndarray[Any, Any]:
    """Mask of the elements above or below a diagonal of a matrix, the diagonal included."""
    offsets = np.arange(columns) - np.arange(rows)[:, None]
    return offsets >= diagonal if upper else offsets <= diagonal


def largest(word: str) -> Any:
    """The largest finite number of a type of floats."""
    limits: Any = finfo
    return float(limits(typed(0, word).dtype).max)


def lowest(word: str) -> Any:
    """The lowest value of a type of numbers: minus infinity, or the least integer."""
    dtype = typed(0, word).dtype
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else -math.inf


def scattered(axes: Sequence[int] | None, values: Sequence[Any], base: Sequence[Any]) -> list[Any]:
    """A list with the values of some axes; without axes, the values."""
    if axes is None:
        return list(values)
    found = list(base)
    for axis, value in zip(axes, values, strict=True):
        found[axis] = value
    return found


def vector(value: Any) -> list[Any]:
    """A list, or a number as a list of one."""
    return value if isinstance(value, list) else [value]


def inside(
    kernel_shape: Sequence[int], pads: Sequence[int] | None, dilations: Sequence[int] | None
) -> bool:
    """True if padding is smaller than windows, so that none begins in the padding at the end."""
    count = len(kernel_shape)
    steps = dilations or [1] * count
    ends = pads[count:] if pads else [0] * count
    sizes = [(size - 1) * step + 1 for size, step in zip(kernel_shape, steps, strict=True)]
    return all(end < size for end, size in zip(ends, sizes, strict=True))


def clamped(at: int, rank: int) -> int:
    """An axis of a range, which may count from the end, within 0 and the rank."""
    return max(0, min(rank, at + rank if at < 0 else at))


def name(value: Value, default: Any) -> Any:
    """An input, or a constant where it is absent."""
    return value if value.name else default


def word(number: int) -> str:
    """The name of an element type."""
    return WORDS[number]


_NAMED: tuple[Callable[..., Any], ...] = (
    swapped, spread, parts, fits, clamped, triangle, largest, scattered, positive, single, vector,
    inside, filled, lowest, windows, new_counts, old_counts, name, word, to_front, from_front,
    chained, identity, turned,
    reshaped, codes, picked,
    fourier_filters, fourier_matrix, fourier_reads,
    abs, all, any, float, int, len, list, max, min, range, sorted, sum, zip, enumerate,
)  # fmt: skip

FUNCTIONS: dict[str, Any] = {
    **{one.__name__: one for one in _NAMED},
    "number": number_of_element,
    "float32": lambda one: float(np.float32(one)),
    "prod": math.prod,
    "inf": math.inf,
    "isfinite": math.isfinite,
    "lower": str.lower,
    "upper": str.upper,
}
