"""The NumPy kernel of QLinearConcat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    Y_scale: NDArray[Any],
    Y_zero_point: NDArray[Any],
    inputs: list[NDArray[Any]],
    Y: NDArray[Any],
    *,
    axis: int,
) -> None:
    """Write the parts, each in the scale of ``Y``, side by side along the axis."""
    parts = [
        rescaled(part, scale.reshape(()), zero.reshape(()), Y_scale.reshape(()), Y_zero_point)
        for part, scale, zero in zip(inputs[::3], inputs[1::3], inputs[2::3], strict=True)
    ]
    np.concatenate(parts, axis, out=Y)


def rescaled(part: Any, scale: Any, zero: Any, to_scale: Any, to_zero: Any) -> NDArray[Any]:
    """A part in another scale; as it is, where that is its own."""
    to_zero = to_zero.reshape(())
    if scale == to_scale and zero == to_zero:
        return np.asarray(part)
    limits = np.iinfo(part.dtype)
    codes = np.arange(limits.min, limits.max + 1)
    with np.errstate(all="ignore"):  # infinities and NaN are legal on the way
        numbers = (codes - int(zero)).astype(np.float32) * np.float32(scale)
        result = np.rint(numbers / np.float32(to_scale)) + int(to_zero)
    result = np.where(np.isnan(result), limits.min, result)
    table = np.clip(result, limits.min, limits.max).astype(part.dtype)
    return np.asarray(table[part.astype(np.intp) - limits.min])
