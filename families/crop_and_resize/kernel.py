"""The NumPy kernel of CropAndResize: for each region, the elements around all its positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.halves import widened


class _Samples(NamedTuple):
    """The positions of an axis that are inside of the image.

    ``at`` are their numbers in the crop, ``low`` and ``high`` the elements around each, ``weight``
    the weights of the latter.
    """

    at: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    weight: NDArray[Any]


def compute(
    X: NDArray[Any],
    rois: NDArray[Any],
    batch_indices: NDArray[Any],
    Y: NDArray[Any],
    *,
    is_nearest: bool,
    extrapolation: float,
) -> None:
    """Write the crops of all regions to ``Y``.

    Raises:
        ContentsError: an image is not there. Nothing has been written then.
    """
    images = within(batch_indices, "batch_indices", 0, X.shape[0] - 1).tolist()
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        Y[...] = extrapolation
        corners = widened(rois)
        for region, image in enumerate(images):
            y1, x1, y2, x2 = corners[region]
            rows = _samples(y1, y2, X.shape[2], Y.shape[2], is_nearest)
            columns = _samples(x1, x2, X.shape[3], Y.shape[3], is_nearest)
            if not rows.at.size or not columns.at.size:
                continue
            values = widened(X[image])
            top = _between(values[:, rows.low], columns)
            if is_nearest:
                crop = values[:, rows.low][:, :, columns.low]
            else:
                weight = rows.weight[:, np.newaxis]
                crop = top + (_between(values[:, rows.high], columns) - top) * weight
            Y[region][:, rows.at[:, np.newaxis], columns.at] = crop


def _between(lines: NDArray[Any], columns: _Samples) -> NDArray[Any]:
    left = lines[:, :, columns.low]
    return np.asarray(left + (lines[:, :, columns.high] - left) * columns.weight)


def _samples(first: Any, second: Any, size: int, count: int, is_nearest: bool) -> _Samples:
    """The positions between two normalised corners, both included, or the one between them."""
    real = type(first)
    limit = real(size - 1)
    if count > 1:
        step = (second - first) * limit / real(count - 1)
        positions = first * limit + np.arange(count).astype(real) * step
    else:
        positions = np.array([real(0.5) * (first + second) * limit])
    (at,) = np.nonzero((positions >= 0) & (positions <= limit))
    inside = positions[at]
    low = np.floor(inside)
    weight = inside - low
    if is_nearest:  # halves away from zero
        low += weight >= 0.5
    # The last position of an axis may be rounded up to the next one.
    below, above = (np.minimum(each.astype(np.int64), size - 1) for each in (low, np.ceil(inside)))
    return _Samples(at, below, above, weight)
