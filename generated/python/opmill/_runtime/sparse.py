"""Tensors of which most elements are 0, as attributes of kind SPARSE_TENSOR hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opmill._runtime.counts import as_count
from opmill._runtime.public import public
from opmill._runtime.types import MAX_RANK, Array, element_word

_INT64_MAX = 2**63 - 1


@public
@dataclass(frozen=True, eq=False, slots=True)
class SparseTensor:
    """A tensor, given by its elements that are not 0, for attributes of kind SPARSE_TENSOR.

    The indices ascend, and none occurs twice.

    Args:
        values: an array of rank 1 with these elements.
        indices: an array of int64: of shape [n], positions in row-major order; or of shape
            [n, rank], a row for each value and a column for each axis.
        dims: the shape of the tensor.
    """

    values: Array
    indices: Array
    dims: Sequence[int]

    @property
    def shape(self) -> tuple[int, ...]:
        """The dims."""
        return tuple(self.dims)

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.dims)


def sparse_problem(name: str, given: SparseTensor) -> str | None:
    """Return the error of a sparse tensor as a message; ``None`` if it is valid.

    Args:
        name: what the message calls it.
        given: arrays of ONNX's types, and a tuple of integers.
    """
    values, indices, dims = given.values, given.indices, given.dims
    if len(dims) > MAX_RANK:
        return f"{name}.dims has {len(dims)} entries, expected at most {MAX_RANK}"
    for axis, dim in enumerate(dims):
        if dim < 0:
            return f"{name}.dims[{axis}] is {dim}, expected at least 0"
    if values.ndim != 1:
        return f"{name}.values has rank {values.ndim}, expected 1"
    if indices.dtype != np.int64:
        return f"{name}.indices has type {element_word(indices.dtype)}, expected int64"
    count = len(values)
    if indices.shape not in ((count,), (count, len(dims))):
        shape = ", ".join(map(str, indices.shape))
        wanted = f"[{count}] or [{count}, {len(dims)}]"
        return f"{name}.indices has shape [{shape}], expected {wanted}"
    return _range_problem(name, indices, dims) or _order_problem(name, indices)


def scatter(given: SparseTensor, output: Array) -> None:
    """Write the values to their positions, and to the others 0 or an empty text.

    In float8e8m0, which has no 0, that is the smallest number, 2^-127: its bits are 0.

    Args:
        given: a sparse tensor without a problem.
        output: a contiguous array of its type and dims.
    """
    positions = given.indices
    if positions.ndim == 2:
        strides = [1] * output.ndim
        for axis in range(output.ndim - 1, 0, -1):
            strides[axis - 1] = strides[axis] * output.shape[axis]
        positions = positions @ np.array(strides, np.int64)
    output[...] = "" if output.dtype == object else np.zeros((), output.dtype)
    output.reshape(-1)[positions] = given.values


def _range_problem(name: str, indices: Array, dims: Sequence[int]) -> str | None:
    """The first index that lies outside of the tensor."""
    if indices.ndim == 2:
        limits = np.array(dims, np.int64)
    else:
        size = 1
        for dim in dims:
            size *= dim
        # Of a tensor that no memory holds, any index will do: the call is refused for its size.
        limits = np.array(min(size, _INT64_MAX), np.int64)
    wrong = (indices < 0) | (indices >= limits)
    if not wrong.any():
        return None
    position = tuple(int(one) for one in np.argwhere(wrong)[0])
    limit = int(limits[position[1]] if limits.ndim else limits)
    where = ", ".join(map(str, position))
    found = f"{name}.indices[{where}] is {int(indices[position])}"
    return f"{found}, expected at least 0 and below {limit}"


def _order_problem(name: str, indices: Array) -> str | None:
    """The first index that does not come after the one before it."""
    if len(indices) < 2:
        return None
    before, after = indices[:-1], indices[1:]
    if indices.ndim == 1:
        ascends = before < after
    else:
        ascends = np.zeros(len(after), np.bool_)
        same = np.ones(len(after), np.bool_)
        for axis in range(indices.shape[1]):
            ascends |= same & (before[:, axis] < after[:, axis])
            same &= before[:, axis] == after[:, axis]
    if ascends.all():
        return None
    position = int(np.argmin(ascends)) + 1
    return (
        f"{name}.indices[{position}] is not after indices[{position - 1}], expected ascending order"
    )


def sparse_of(given: Any) -> SparseTensor | None:
    """Return an object with ``values``, ``indices`` and ``dims`` as arrays; ``None`` for others."""
    parts: list[Any] = [getattr(given, name, None) for name in ("values", "indices", "dims")]
    values, indices, dims = parts
    for part in (values, indices):
        plain = isinstance(part, np.ndarray) and not isinstance(part, np.ma.MaskedArray)
        if not plain or element_word(part.dtype) is None:
            return None
    if not isinstance(dims, (list, tuple)):
        return None
    try:
        counts = tuple(map(as_count, dims))
    except TypeError:
        return None
    if not all(-_INT64_MAX - 1 <= dim <= _INT64_MAX for dim in counts):
        return None
    return SparseTensor(_native(values), _native(indices), counts)


def _native(array: Array) -> Array:
    """An array that kernels can read: contiguous, in this machine's byte order."""
    wanted = array.dtype if array.dtype.isnative else array.dtype.newbyteorder("=")
    return np.ascontiguousarray(array, wanted).reshape(array.shape)
