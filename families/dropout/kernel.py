"""The NumPy kernel of Dropout: a copy, or products with a factor that is 0 for random elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels import philox
from opmill._runtime.rule_support import decimal


def compute(
    data: NDArray[Any],
    ratio: NDArray[Any] | None,
    training_mode: NDArray[Any] | None,
    output: NDArray[Any],
    mask: NDArray[Any] | None,
    *,
    training: bool,
    probability: float,
    seed: int,
) -> None:
    """Write ``data``, or what is left of it; inputs that are given replace the plan's values.

    Raises:
        ContentsError: the ratio is out of range. Nothing has been written then.
    """
    if ratio is not None:
        probability = float(ratio)
        if not 0 <= probability < 1:
            raise ContentsError(
                f"ratio is {decimal(probability)}, expected at least 0 and less than 1"
            )
    if training_mode is not None:
        training = bool(training_mode)
    if not training or probability == 0:
        bits = f"u{data.dtype.itemsize}"  # elements are copied as they are
        output.view(bits)[...] = np.ascontiguousarray(data).view(bits)
        if mask is not None:
            mask[...] = 1
        return
    is_kept = philox.words(seed, data.size) >= np.uint64(np.ceil(probability * 2.0**32))
    is_kept = is_kept.reshape(data.shape)
    with np.errstate(all="ignore"):  # infinities and NaNs are results
        products = data.astype(np.float64) * np.where(is_kept, 1 / (1 - probability), 0.0)
        wide = np.float64 if data.dtype == np.float64 else np.float32
        output[...] = products.astype(wide).astype(data.dtype)
    if mask is not None:
        mask[...] = is_kept
