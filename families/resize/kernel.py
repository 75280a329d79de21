"""The NumPy kernel of Resize: one axis after the other, those that become shorter first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class _Mapping(NamedTuple):
    """The mapping of positions of an output axis to the input."""

    transformation: str
    by_sizes: bool
    size: int
    out: int
    factor: float
    begin: float
    end: float


class _Filter(NamedTuple):
    """The weights of elements by their distance."""

    mode: str
    antialias: bool
    cubic_a: float
    exclude_outside: bool


class _Axis(NamedTuple):
    """The positions of the output that are inside, and the elements that each is made of."""

    inside: slice
    at: NDArray[np.int64]
    weights: NDArray[np.float64] | None


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    antialias: bool,
    begins: Sequence[float],
    by_sizes: bool,
    cubic_a: float,
    ends: Sequence[float],
    exclude_outside: bool,
    extrapolation: float,
    factors: Sequence[float],
    mode: str,
    nearest_mode: str,
    transformation: str,
) -> None:
    """Write ``X``, sampled at positions that lie evenly along each axis, to ``Y``."""
    if not Y.size:
        return
    weighting = _Filter(mode, antialias, cubic_a, exclude_outside)
    axes: list[_Axis | None] = []
    with np.errstate(all="ignore"):  # infinities and NaN are results here
        for k, (size, out) in enumerate(zip(X.shape, Y.shape, strict=True)):
            mapping = _Mapping(transformation, by_sizes, size, out, factors[k], begins[k], ends[k])
            axes.append(_axis(mapping, weighting, nearest_mode))
        work = X if mode == "nearest" else _numbers(X, any(axis is not None for axis in axes))
        order = [k for k, axis in enumerate(axes) if axis is not None]
        order.sort(key=lambda k: (axes[k].at.size / X.shape[k], -k))  # type: ignore[union-attr]
        for k in order:
            axis = axes[k]
            assert axis is not None
            work = _resized(work, k, axis)
        inside = tuple(slice(None) if axis is None else axis.inside for axis in axes)
        if any(part != slice(0, out) for part, out in zip(inside, Y.shape, strict=True)):
            Y[...] = _elements(np.full((), extrapolation), Y.dtype)
        Y[inside] = _elements(work, Y.dtype)


def _coordinates(map: _Mapping) -> NDArray[np.float64]:
    """The input coordinate of each position; from sizes, a ratio in which only the division rounds.

    Every step is rounded to a double by itself, as in the other backend: nearest positions depend
    on it.
    """
    i = np.arange(map.out, dtype=np.float64)
    last = np.float64(map.size) - 1
    kind = map.transformation
    if kind == "align_corners":
        return np.zeros(map.out) if map.out <= 1 else i * last / (map.out - 1)
    if kind == "tf_crop_and_resize":
        begin, end = np.float64(map.begin), np.float64(map.end)
        if map.out <= 1:
            return np.full(map.out, 0.5 * (begin + end) * last)
        return begin * last + i * (end - begin) * last / (map.out - 1)
    if kind == "asymmetric":
        return i * np.float64(map.size) / map.out if map.by_sizes else i / np.float64(map.factor)
    if kind == "pytorch_half_pixel" and map.out <= 1:
        return np.zeros(map.out)
    if map.by_sizes:
        x = (2 * i + 1) * np.float64(map.size) / (2 * np.float64(map.out))
    else:
        x = (i + 0.5) / np.float64(map.factor)
    if kind == "tf_half_pixel_for_nn":
        return x
    if kind == "half_pixel_symmetric" and not map.by_sizes:
        length = np.float64(map.size) * map.factor
        x = np.float64(map.size) / 2 * (1 - map.out / length) + x
    return x - 0.5


def _axis(map: _Mapping, weighting: _Filter, nearest_mode: str) -> _Axis | None:
    """The elements of each position; ``None`` where each is that of the input."""
    x = _coordinates(map)
    inside = np.ones(map.out, bool)
    if map.transformation == "tf_crop_and_resize":
        inside = (x >= 0) & (x <= map.size - 1)
    where = np.flatnonzero(inside)
    part = slice(int(where[0]), int(where[-1]) + 1) if where.size else slice(0, 0)
    whole = part == slice(0, map.size) and map.size == map.out
    x = x[part]
    if weighting.mode == "nearest":
        at = _nearest(x, nearest_mode, map)
        return None if whole and bool((at == np.arange(map.out)).all()) else _Axis(part, at, None)
    stretch = map.factor if weighting.antialias and map.factor < 1 else 1.0
    if whole and stretch == 1 and bool((x == np.arange(map.out)).all()):
        return None
    return _Axis(part, *_weighted(x, map.size, stretch, weighting))


def _nearest(x: NDArray[np.float64], mode: str, map: _Mapping) -> NDArray[np.int64]:
    if mode == "round_prefer_floor":
        position = np.ceil(x - 0.5)
    elif mode == "round_prefer_ceil":
        position = np.floor(x + 0.5)
    elif mode == "ceil" or (mode == "by_scale" and map.factor < 1):
        position = np.ceil(x)
    else:
        position = np.floor(x)
    return np.clip(position, 0, map.size - 1).astype(np.int64)


def _weighted(
    x: NDArray[np.float64], size: int, stretch: float, weighting: _Filter
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The first of the adjacent elements of each position, and their weights.

    What lies outside repeats the edge, or is left out.
    """
    reach = int(np.ceil((1 if weighting.mode == "linear" else 2) / stretch))
    taps = min(size, 2 * reach)
    low = np.floor(x)
    at = np.clip(low - (reach - 1), 0, size - taps).astype(np.int64)
    weights = np.zeros((x.size, taps))
    rows = np.arange(x.size)
    total = np.zeros(x.size)
    exact = (x == low) & (stretch == 1)  # the filter is 0 at all other positions
    for offset in range(1 - reach, reach + 1):
        position = low + offset
        weight = _weight(np.abs((position - x) * stretch), weighting)
        weight[exact] = offset == 0
        if weighting.exclude_outside:
            weight[(position < 0) | (position >= size)] = 0
        weights[rows, np.clip(position, 0, size - 1).astype(np.int64) - at] += weight
        total += weight
    if weighting.exclude_outside or stretch < 1:
        weights[~exact] /= total[~exact, None]
    return at, weights


def _weight(d: NDArray[np.float64], weighting: _Filter) -> NDArray[np.float64]:
    """The weight of an element at a distance."""
    if weighting.mode == "linear":
        return np.where(d < 1, 1 - d, 0.0)
    a = np.float64(weighting.cubic_a)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _resized(work: NDArray[Any], k: int, axis: _Axis) -> NDArray[Any]:
    """The tensor with one axis resized. A weight of 0 does not look at its element."""
    if axis.weights is None:
        return np.take(work, axis.at, k)
    shape = (-1, *(1,) * (work.ndim - k - 1))
    real = np.float64 if work.dtype in (np.float64, np.complex128) else np.float32
    result = None
    for tap in range(axis.weights.shape[1]):
        weights = axis.weights[:, tap].astype(real)
        if not weights.any():
            continue
        terms = np.take(work, axis.at + tap, k)
        terms *= weights.reshape(shape)
        if not weights.all():
            terms[(slice(None),) * k + (weights == 0,)] = 0
        if result is None:
            result = terms
        else:
            result += terms
    if result is None:
        result = np.zeros((*work.shape[:k], axis.at.size, *work.shape[k + 1 :]), work.dtype)
    return result


def _numbers(X: NDArray[Any], resizes: bool) -> NDArray[Any]:
    """The elements as numbers to compute with: 16-bit floats as float, integers as double."""
    if not resizes or X.dtype.kind == "c" or X.dtype in (np.float32, np.float64):
        return X
    return X.astype(np.float64 if X.dtype.kind in "iu" else np.float32)


def _elements(numbers: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers as elements: integers are cut off at the point and held between their limits.

    A sum that comes within 2^-20 of a whole number counts as that number, so that rounding errors
    of the weights do not show.
    """
    if dtype.kind not in "iu" or numbers.dtype.kind in "iu":
        return numbers if numbers.dtype == dtype else numbers.astype(dtype)
    limits = np.iinfo(dtype)
    real = numbers.astype(np.float64)
    real = real + np.where(real < 0, -(2.0**-20), 2.0**-20)
    inside = (real >= float(limits.min)) & (real < float(limits.max // 2 + 1) * 2)
    result = np.where(inside, real, 0).astype(dtype)
    result[(real > 0) & ~inside] = limits.max
    result[real < float(limits.min)] = limits.min
    return result
