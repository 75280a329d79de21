"""The NumPy kernel of GridSample: image by image, all channels at once."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import movable

_BLOCK = 1 << 18
"""About how many elements of the output are computed at a time."""


class _Tap(NamedTuple):
    """One element of an axis for each position, and its weight, which is 0 where it is not used."""

    at: NDArray[np.int64]
    weights: NDArray[np.float64]


def compute(
    X: NDArray[Any],
    grid: NDArray[Any],
    Y: NDArray[Any],
    *,
    align_corners: bool,
    padding_mode: str,
    taps: int,
) -> None:
    """Write the element or the weighted sum at each position of the grid."""
    if not Y.size:
        return
    spatial = X.shape[2:]
    block = max(_BLOCK // X.shape[1], 1)
    with np.errstate(all="ignore"):  # infinities and NaN are results here
        for n in range(X.shape[0]):
            image = (movable(X[n]) if taps == 1 else _numbers(X[n])).reshape(X.shape[1], -1)
            points = grid[n].reshape(-1, len(spatial))[:, ::-1].astype(np.float64)
            target = Y[n].reshape(X.shape[1], -1)
            for first in range(0, points.shape[0], block):
                part = slice(first, first + block)
                axes = []
                for axis, size in enumerate(spatial):
                    at = _positions(points[part, axis], size, align_corners)
                    found = _axis(at, size, padding_mode, align_corners, taps)
                    stride = math.prod(spatial[axis + 1 :])
                    axes.append([_Tap(tap.at * stride, tap.weights) for tap in found])
                if taps == 1:
                    movable(target)[:, part] = _chosen(image, axes)
                else:
                    target[:, part] = _elements(_summed(image, axes), Y.dtype)


def _positions(n: NDArray[np.float64], size: int, align_corners: bool) -> NDArray[np.float64]:
    """From -1 to 1 along an axis to its elements; NaN counts as -1."""
    n = np.where(np.isnan(n), -1.0, n)
    if align_corners:
        return (n + 1) / 2 * (size - 1)
    return ((n + 1) * size - 1) / 2


def _axis(
    x: NDArray[np.float64], size: int, padding: str, align_corners: bool, taps: int
) -> list[_Tap]:
    """The elements around each position. An element that is taken twice has both weights."""
    period = 2 * (size - 1) if align_corners else 2 * size
    if taps == 1:
        x = np.rint(x)
    lost = np.isnan(x) if padding != "reflection" else ~np.isfinite(x)
    x = np.where(lost, -3.0 if padding == "zeros" else 0.0, x)
    if padding == "reflection":
        far = (x < -3) | (x > size + 2)
        x[far] = np.fmod(x[far], period) if period else 0
    else:  # beyond these, all elements are outside
        x = np.clip(x, -3, size + 2)
    low = np.floor(x)
    below = low.astype(np.int64)
    found: list[_Tap] = []
    for offset, weights in enumerate(_weights(x - low, taps)):
        at = below + offset - (taps == 4)
        if padding == "zeros":
            weights = np.where((at >= 0) & (at < size), weights, 0)
        elif padding == "reflection":
            at = at % period if period else at * 0
            at = np.where(at < size, at, period - at - (0 if align_corners else 1))
        at = np.clip(at, 0, size - 1)
        for earlier in found:
            same = (earlier.at == at) & (earlier.weights != 0)
            earlier.weights[same] += weights[same]
            weights[same] = 0
        found.append(_Tap(at, weights))
    return found if taps <= size else _dense(found, size)


def _dense(taps: list[_Tap], size: int) -> list[_Tap]:
    """The weights of all elements of a short axis."""
    return [
        _Tap(
            np.full(taps[0].at.shape, i),
            np.sum([np.where(tap.at == i, tap.weights, 0) for tap in taps], axis=0),
        )
        for i in range(size)
    ]


def _weights(t: NDArray[np.float64], taps: int) -> list[NDArray[np.float64]]:
    """The weights of the elements around a position that lies t beyond one of them."""
    if taps == 1:
        return [np.ones_like(t)]
    if taps == 2:
        return [1 - t, t]
    a = -0.75
    near = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    far = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (t + 1, 2 - t)]
    return [far[0], *near, far[1]]


def _chosen(image: NDArray[Any], axes: list[list[_Tap]]) -> NDArray[Any]:
    """Single elements, bit for bit; zeros outside."""
    chosen = [axis[0] for axis in axes]
    result = image[:, np.sum([tap.at for tap in chosen], axis=0)]
    outside = np.any([tap.weights == 0 for tap in chosen], axis=0)
    if outside.any():
        result[:, outside] = "" if result.dtype.kind in "OTUS" else 0
    return result


def _summed(image: NDArray[Any], axes: list[list[_Tap]]) -> NDArray[Any]:
    """Weighted sums. A weight of 0 does not look at its element."""
    is_complex = image.dtype.kind == "c"
    real = image.view(image.real.dtype).reshape(*image.shape, -1) if is_complex else image
    result: Any = None
    for chosen in itertools.product(*axes):
        weights = math.prod((tap.weights for tap in chosen), start=np.float64(1))
        weights = weights.astype(real.dtype)
        used = weights != 0
        terms = real[:, np.sum([tap.at for tap in chosen], axis=0)]
        terms *= weights[:, None] if is_complex else weights
        terms[:, ~used] = 0
        result = terms if result is None else np.add(result, terms, out=result)
    sums: NDArray[Any] = result.view(image.dtype)[..., 0] if is_complex else result
    return sums


def _numbers(image: NDArray[Any]) -> NDArray[Any]:
    """The elements as numbers to compute with: 16-bit floats as float, integers as double."""
    if image.dtype.kind == "c" or image.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(image)
    numbers: NDArray[Any] = image.astype(np.float64 if image.dtype.kind in "iu" else np.float32)
    return numbers


def _elements(numbers: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers as elements: integers are cut off at the point and held between their limits.

    A sum that comes within 2^-20 of a whole number counts as that number, so that rounding errors
    of the weights do not show.
    """
    if dtype.kind not in "iu":
        return numbers.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    numbers = numbers + np.where(numbers < 0, -(2.0**-20), 2.0**-20)
    inside = (numbers >= float(limits.min)) & (numbers < float(limits.max // 2 + 1) * 2)
    result = np.where(inside, numbers, 0).astype(dtype)
    result[(numbers > 0) & ~inside] = limits.max
    result[(numbers < 0) & ~inside] = limits.min
    return result
