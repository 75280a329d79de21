"""The NumPy kernel of Clip: elements beyond a bound become the bound, all others are copied."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_finfo: Any = ml_dtypes.finfo  # it has no annotations


def compute(
    input: NDArray[Any],
    min: NDArray[Any] | None,
    max: NDArray[Any] | None,
    output: NDArray[Any],
    *,
    low_given: bool,
    low: float,
    high_given: bool,
    high: float,
) -> None:
    """Write ``input``, limited to an interval, to ``output``.

    Its ends are ``min`` and ``max``, or the numbers ``low`` and ``high``, or the type's limits.
    """
    dtype = output.dtype
    limits: Any = np.iinfo(dtype) if dtype.kind in "iu" else _finfo(dtype)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        np.copyto(output, input)
        bound = min if min is not None else np.float32(low) if low_given else limits.min
        bound = np.asarray(bound).astype(dtype).reshape(())
        np.copyto(output, bound, where=(output < bound) | (bound != bound))
        bound = max if max is not None else np.float32(high) if high_given else limits.max
        bound = np.asarray(bound).astype(dtype).reshape(())
        np.copyto(output, bound, where=(output > bound) | (bound != bound))
