"""Regions of images whose numbers are contents of a floating tensor, a row each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.rule_support import listed
from opmill._runtime.types import Array

LIMIT = 2.0**30
"""Maximum distance of a scaled coordinate from 0."""


def scaled(rois: Array, first: int, scale: float) -> NDArray[Any]:
    """The coordinates, from column ``first`` on, times the scale, in double.

    Raises:
        ContentsError: one is no number within the limit; the first one is named.
    """
    with np.errstate(all="ignore"):
        found: NDArray[Any] = rois[:, first:].astype(np.float64) * scale
        wrong = ~((found >= -LIMIT) & (found <= LIMIT))  # no NaN is within
    if wrong.any():
        row, column = np.unravel_index(int(np.argmax(wrong)), found.shape)
        shown = listed([int(row), int(column) + first])
        raise ContentsError(
            f"scaled rois{shown} is {found[row, column]:.9g}, expected -2^30 to 2^30"
        )
    return found


def batches(rois: Array, count: int) -> list[int]:
    """Column 0, the numbers of batch entries.

    Raises:
        ContentsError: one is no whole number below ``count``; the first one is named.
    """
    with np.errstate(all="ignore"):
        found = rois[:, 0].astype(np.float64)
        wrong = ~((found >= 0) & (found < count) & (np.floor(found) == found))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ContentsError(
            f"rois[{row}, 0] is {found[row]:.9g}, expected a whole number from 0 to {count - 1}"
        )
    return [int(number) for number in found]
