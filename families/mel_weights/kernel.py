"""The NumPy kernel of MelWeightMatrix: a triangle for each band, all computed in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError

_FAR = 2.0**53
"""No spectrum has so many bins."""


def compute(
    output: NDArray[Any], *, length: float, rate: float, lower: float, upper: float
) -> None:
    """Write the weight of each bin in each band; integers drop the fraction.

    Raises:
        ContentsError: a band reaches beyond the spectrum. Nothing has been written then.
    """
    rows, bands = output.shape
    with np.errstate(all="ignore"):  # edges may be far away
        span = np.log((700 + upper) / (700 + lower))
        hertz = lower + (700 + lower) * np.expm1(np.arange(bands + 2) / (bands + 2) * span)
        bins = np.clip(np.floor((length + 1) * hertz / rate), -_FAR, _FAR).astype(np.int64)
    for band in range(bands):
        left, centre, right = bins[band : band + 3].tolist()
        _check(band, left, centre, right, rows)
    output[...] = 0
    for band in range(bands):
        left, centre, right = bins[band : band + 3].tolist()
        if left == centre:
            output[centre, band] = 1
        elif left < centre:
            rising = np.arange(centre - left + 1) / (centre - left)
            output[left : centre + 1, band] = _of_type(rising, output)
        if centre < right:
            falling = np.arange(right - centre, 0, -1) / (right - centre)
            output[centre:right, band] = _of_type(falling, output)


def _of_type(numbers: NDArray[Any], output: NDArray[Any]) -> NDArray[Any]:
    whole = output.dtype.kind in "iu"
    return np.asarray((np.trunc(numbers) if whole else numbers).astype(output.dtype))


def _check(band: int, left: int, centre: int, right: int, rows: int) -> None:
    """Return whether the first and the last bin that a band has are in the spectrum."""
    if left > centre and right <= centre:
        return  # the edges fall, and the band has no bins
    first = min(left, centre)
    last = max(centre, right - 1)
    for bin in (first, last):
        if not 0 <= bin < rows:
            raise ContentsError(
                f"band {band} has bin {bin} of the spectrum, expected 0 to {rows - 1}"
            )
