"""The NumPy kernel of Constant: the elements of an attribute."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.sparse import SparseTensor, scatter

_Array = NDArray[Any]


def compute(
    output: _Array,
    *,
    sparse_value: SparseTensor | None,
    value: _Array | None,
    value_float: _Array | None,
    value_floats: _Array | None,
    value_int: _Array | None,
    value_ints: _Array | None,
    value_string: _Array | None,
    value_strings: _Array | None,
) -> None:
    """Copy the one attribute that is present; elements that a sparse one omits are 0 or ''."""
    if sparse_value is not None:
        scatter(sparse_value, output)
        return
    dense = (value, value_float, value_floats, value_int, value_ints, value_string, value_strings)
    output[...] = next(one for one in dense if one is not None)
